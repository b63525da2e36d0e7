/**
 * The page as visitors use it: real server, real names, Debian's Chromium. The clock of the page is the test's where the
 * pause before a request matters, so a slow machine changes nothing.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, beforeEach, afterEach, describe, test } from "node:test";
import { promisify } from "node:util";
import { axe, launchBrowser, open, root, startServer } from "./harness.mjs";

const run = promisify(execFile);
const NAMES = 665_921;
const PHONE = { width: 390, height: 844 };

/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
/** @type {import("playwright-core").Browser} */
let browser;
/** @type {import("playwright-core").BrowserContext} */
let context;
/** @type {import("playwright-core").Page} */
let page;
/** @type {any} */
let manifest;
/** @type {string[]} method and path of every request, the service worker's included */
let requests = [];
/** @type {string[]} */
let complaints = [];
let unique = 0;

/** A name nobody has, another one each time. */
const fresh = () => `e2e-${process.pid}-${(unique++).toString(36)}-zq`;

before(async () => {
  server = await startServer();
  browser = await launchBrowser();
  manifest = await (await fetch(`${server.url}manifest.json`)).json();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/** @param {import("playwright-core").BrowserContextOptions} [options] */
async function newContext(options = {}) {
  context = await browser.newContext(options);
  context.setDefaultTimeout(30_000);
  requests = [];
  complaints = [];
  context.on("request", (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`));
  context.on("weberror", (error) => complaints.push(String(error.error())));
  page = await context.newPage();
}

beforeEach(() => newContext());
afterEach(async () => {
  await context.close();
  assert.deepEqual(complaints, [], "nothing is thrown in the page");
});

/** @param {string} id */
const text = (id) => page.locator(`#${id}`).textContent();
/** @param {RegExp} pattern */
const verdict = async (pattern) => {
  await page.waitForFunction((source) => new RegExp(source).test(document.querySelector("#verdict")?.textContent ?? ""), pattern.source);
};
/** @param {string} name */
const fill = (name) => page.locator("#name").fill(name);
/** @param {string} name */
const claimByApi = async (name) => {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${server.url}api/claim`, { method: "POST", headers, body: JSON.stringify({ name }) });
  assert.equal(response.status, 201);
};
/** From here on the page's time passes only by `page.clock.runFor`. */
const openAndStopClock = async () => {
  await page.clock.install();
  await open(page, server.url);
  await workerReady();
  await page.clock.pauseAt(Date.now() + 1000);
};
const workerReady = () => page.waitForSelector("html[data-offline-ready]", { state: "attached" });

describe("typing", () => {
  test("a free name costs no request until it is submitted", async () => {
    await openAndStopClock();
    const name = fresh();
    requests.length = 0;
    const stats = await (await fetch(`${server.url}api/stats`)).json();
    for (const letter of name) {
      await page.locator("#name").press(letter);
      await page.clock.runFor(40);
    }
    await page.clock.runFor(5_000);
    assert.match((await text("verdict")) ?? "", /^free, as of (a moment|\d+ seconds?) ago$/);
    assert.match((await text("detail")) ?? "", /with no request: of eight bits, (one is|[a-z]+ are) empty/);
    assert.equal(requests.length, 0, requests.join());
    assert.equal(Number(await text("tally-requests")), 0);
    assert.equal(Number(await text("tally-avoided")), name.length);

    await page.locator("#name").press("Enter");
    await verdict(/^yours$/);
    assert.deepEqual(requests.slice(0, 1), ["POST /api/claim"]);
    assert.ok(!requests.some((request) => request.includes("/api/check")));
    const now = await (await fetch(`${server.url}api/stats`)).json();
    assert.equal(now.asked, stats.asked, "the server was never asked whether it is free");
    assert.equal(now.claimed, stats.claimed + 1);
  });

  test("the answer is there before the event is over", async () => {
    await open(page, server.url);
    const seen = await page.evaluate(() => {
      const input = /** @type {HTMLInputElement} */ (document.querySelector("#name"));
      const say = (/** @type {string} */ value) => {
        input.value = value;
        input.dispatchEvent(new InputEvent("input", { bubbles: true }));
        return document.querySelector("#verdict")?.textContent;
      };
      return [say("torvalds"), say("no-such-name-zq"), say("sindresorhus"), say("")];
    });
    assert.equal(seen[0], "probably taken");
    assert.match(seen[1] ?? "", /^free, as of/);
    assert.equal(seen[2], "probably taken");
    assert.match(seen[3] ?? "", /^Type/);
  });

  test("a taken name: probably, then surely, with one request for the whole word", async () => {
    await openAndStopClock();
    requests.length = 0;
    for (const letter of "torvalds") {
      await page.locator("#name").press(letter);
      await page.clock.runFor(100);
    }
    assert.equal(await text("verdict"), "probably taken");
    assert.equal(requests.length, 0, requests.join());
    await page.clock.runFor(300);
    await verdict(/^taken$/);
    assert.deepEqual(requests, ["GET /api/check"]);
  });

  test("a question under way is called back when another key is hit", async () => {
    await open(page, server.url);
    /** @type {() => void} */
    let answer = () => {};
    const held = new Promise((resolve) => {
      answer = () => resolve(undefined);
    });
    await page.route("**/api/check*", async (route) => {
      await held;
      await route.continue().catch(() => {});
    });
    const asked = page.waitForRequest("**/api/check*");
    await fill("torvalds");
    await asked;
    const failed = page.waitForEvent("requestfailed", (request) => request.url().includes("/api/check"));
    await fill("torvalds-zq-nobody");
    await failed;
    answer();
    await page.waitForTimeout(300);
    await verdict(/^free, as of/);
  });

  test("a name the filter is mistaken about is corrected, and the line says whose bits it met", async () => {
    assert.ok(manifest.mistaken, "there is an example");
    await open(page, server.url);
    assert.equal(await page.locator(".lane-row").count(), 8, "the example is drawn before anything is typed");
    await fill(manifest.mistaken.name);
    assert.equal(await text("verdict"), "probably taken");
    await verdict(/^free after all$/);
    assert.match((await text("line-note")) ?? "", /names share this line/);
    const labels = await page.locator(".lane-label").allTextContents();
    assert.equal(labels.length, 8);
    for (const [lane, label] of labels.entries()) {
      const [owner] = manifest.mistaken.owners.bits.find((/** @type {any} */ bit) => bit.lane === lane).names;
      assert.ok(label.startsWith(`set by ${owner}`), label);
    }
    assert.equal(await page.locator(".ring-set").count(), 16, "eight rings, in the wide drawing and in the narrow one");
    await fill("nobody-has-this-zq");
    assert.ok((await page.locator(".ring-free").count()) > 0, "a free name meets an empty bit");
  });

  test("a name claimed since the snapshot is in the delta", async () => {
    const name = fresh();
    await claimByApi(name);
    await open(page, server.url);
    await fill(name);
    assert.equal(await text("verdict"), "probably taken");
    assert.match((await text("detail")) ?? "", /since the snapshot/);
    await verdict(/^taken$/);
    assert.match((await text("detail")) ?? "", /after the snapshot/);
    assert.ok((await page.locator("#claims b").allTextContents()).includes(name));
  });

  test("what cannot be a name is refused, and the page says which character", async () => {
    await open(page, server.url);
    requests.length = 0;
    for (const [typed, expected] of /** @type {const} */ ([
      ["stra\u00dfe", /“ß”/],
      ["under_score", /“_”/],
      ["two words", /a space/],
      ["zero\u200bwidth", /U\+200B/],
      ["me@example.com", /“@”/],
      ["x".repeat(40), /at most 39/],
    ])) {
      await fill(typed);
      assert.match((await text("detail")) ?? "", expected);
    }
    await page.waitForTimeout(600);
    assert.ok(!requests.some((request) => request.includes("/api/check")));
    await page.locator("#name").press("Enter");
    assert.match((await text("verdict")) ?? "", /too long/);
    await page.waitForTimeout(300);
    assert.ok(!requests.includes("POST /api/claim"));
  });

  test("a paste with white space around it is a name", async () => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await open(page, server.url);
    await page.evaluate(() => navigator.clipboard.writeText("  TORVALDS\n"));
    await page.locator("#name").press("ControlOrMeta+v");
    await verdict(/^(probably )?taken$/);
  });

  test("half a syllable of an input method is not judged", async () => {
    await open(page, server.url);
    await page.locator("#name").focus();
    const input = await context.newCDPSession(page);
    await input.send("Input.imeSetComposition", { text: "に", selectionStart: 1, selectionEnd: 1 });
    await input.send("Input.imeSetComposition", { text: "にほ", selectionStart: 2, selectionEnd: 2 });
    assert.equal(await page.locator("#name").inputValue(), "にほ");
    assert.match((await text("verdict")) ?? "", /^Type/);
    await input.send("Input.insertText", { text: "日本" });
    await verdict(/^not a user name$/);
  });

  test("the twin asks a server for every keystroke, and only when it is on", async () => {
    await open(page, server.url);
    const name = fresh();
    requests.length = 0;
    await page.locator("#name").pressSequentially(name.slice(0, 3));
    assert.ok(!requests.some((request) => request.includes("slow-twin")));
    await page.getByText("80 ms away", { exact: true }).first().click();
    await page.locator("#name").fill("");
    requests.length = 0;
    await page.locator("#name").pressSequentially(name);
    await page.waitForFunction(() => document.querySelector("#twin-verdict")?.textContent === "free");
    assert.equal(requests.filter((request) => request.includes("slow-twin")).length, name.length);
    assert.match((await text("twin-time")) ?? "", /answered after \d+ ms/);
    await page.locator("#here-name").fill("torvalds");
    assert.equal(await page.locator("#name").inputValue(), "torvalds");
    await verdict(/^(probably )?taken$/);
  });
});

describe("claiming", () => {
  test("two tabs, one name: the index decides", async () => {
    const name = fresh();
    const other = await context.newPage();
    await open(page, server.url);
    await open(other, `${server.url}?name=${name}`);
    await fill(name);
    for (const tab of [page, other]) assert.match((await tab.locator("#verdict").textContent()) ?? "", /^free, as of/);
    await Promise.all([page, other].map((tab) => tab.locator("#submit").click()));
    const final = async (/** @type {import("playwright-core").Page} */ tab) => {
      await tab.waitForFunction(() => /^(yours|somebody has it)$/.test(document.querySelector("#verdict")?.textContent ?? ""));
      return tab.locator("#verdict").textContent();
    };
    assert.deepEqual((await Promise.all([final(page), final(other)])).sort(), ["somebody has it", "yours"]);
  });

  test("the second tab is a link that carries the name along", async () => {
    await open(page, server.url);
    await fill("carried-along-zq");
    const [other] = await Promise.all([context.waitForEvent("page"), page.locator("#second-tab").click()]);
    await other.waitForSelector("html[data-filter=ready]");
    assert.equal(await other.locator("#name").inputValue(), "carried-along-zq");
    assert.match((await other.locator("#verdict").textContent()) ?? "", /^free, as of/);
  });

  test("submitting a taken name asks the server too", async () => {
    await open(page, server.url);
    await fill("torvalds");
    await page.locator("#submit").click();
    await verdict(/^somebody has it$/);
    assert.ok(requests.includes("POST /api/claim"));
  });
});

describe("check it yourself", () => {
  test("no name missed, strangers as promised, one hash in three languages, lines that work", async () => {
    await open(page, server.url);
    await page.locator("#check-start").click();
    await page.waitForSelector("#results[data-state=done]", { timeout: 180_000 });
    assert.equal(await text("result-missed"), "0 missed");
    assert.equal(await text("result-missed-what"), `of ${NAMES.toLocaleString("en")} names asked`);
    const rate = Number.parseFloat((await text("result-rate")) ?? "") / 100;
    const predicted = manifest.estimatedRate;
    const sigma = Math.sqrt((predicted * (1 - predicted)) / 1e6);
    // The page shows three decimals of a percent.
    assert.ok(Math.abs(rate - predicted) <= 4 * sigma + 0.5e-5, `measured ${rate}, predicted ${predicted}`);
    assert.match((await text("result-rate-what")) ?? "", /^of 1,000,000 strangers/);
    assert.match((await text("result-speed")) ?? "", /^\d+\.\d million$/);
    const hashes = await Promise.all(["python", "node", "browser"].map((language) => text(`hash-${language}`)));
    assert.deepEqual(hashes, [manifest.sha256, manifest.sha256, manifest.sha256]);
    assert.match((await text("hash-verdict")) ?? "", /^Equal to the byte/);

    const path = `${root}.cache/venv/bin:${process.env.PATH}`;
    for (const language of ["python", "node"]) {
      const line = (await text(`copy-${language}`)) ?? "";
      const { stdout } = await run("sh", ["-c", line], { cwd: root, env: { ...process.env, PATH: path } });
      assert.equal(stdout.trim(), manifest.sha256, line);
    }
    const browserLine = (await text("copy-browser")) ?? "";
    const [logged] = await Promise.all([page.waitForEvent("console", (message) => /^[0-9a-f]{64}$/.test(message.text())), page.evaluate(browserLine)]);
    assert.equal(logged.text(), manifest.sha256);
    assert.deepEqual(await axe(page), []);
  });
});

describe("when things go wrong", () => {
  test("wasm blocked by the policy: it says so, and asks the server instead", async () => {
    await open(page, `${server.url}?wasm=blocked`, "blocked");
    assert.match((await text("notice")) ?? "", /WebAssembly is blocked .*'wasm-unsafe-eval'/);
    assert.doesNotMatch((await text("lede")) ?? "", /sends nothing/);
    await fill("torvalds");
    await verdict(/^taken$/);
    assert.match((await text("detail")) ?? "", /Says the server/);
    await fill(fresh());
    await verdict(/^free$/);
    assert.ok(await page.locator("#check-start").isDisabled());
    assert.deepEqual(await axe(page), []);
  });

  test("a filter that does not arrive: it says so, asks the server, and can try again", async () => {
    await page.route("**/usernames.*.tepal", (route) => route.abort());
    await open(page, server.url, "failed");
    assert.match((await text("notice")) ?? "", /did not arrive/);
    await fill("torvalds");
    await verdict(/^taken$/);
    assert.deepEqual(await axe(page), []);
    await page.unroute("**/usernames.*.tepal");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.waitForSelector("html[data-filter=ready]");
    assert.ok(await page.locator("#notice").isHidden());
    await fill("nobody-at-all-zq");
    await verdict(/^free, as of/);
  });

  test("a damaged filter is not believed", async () => {
    await page.route("**/usernames.*.tepal", async (route) => {
      const response = await route.fetch();
      const body = await response.body();
      body[5000] = (body[5000] ?? 0) ^ 1;
      await route.fulfill({ response, body });
    });
    await open(page, server.url, "failed");
    assert.match((await text("notice")) ?? "", /not the one that its manifest describes/);
  });

  test("a slow connection: progress is shown, and the server answers meanwhile", async () => {
    /** @type {() => void} */
    let arrive = () => {};
    const held = new Promise((resolve) => {
      arrive = () => resolve(undefined);
    });
    await page.route("**/usernames.*.tepal", async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(server.url);
    await page.waitForSelector("#progress:not([hidden])");
    await fill("torvalds");
    await verdict(/^taken$/);
    arrive();
    await page.waitForSelector("html[data-filter=ready]");
    await page.waitForFunction(() => document.querySelector("#progress")?.hasAttribute("hidden"));
    await verdict(/^(probably )?taken$/);
  });

  test("reduced motion stands still", async () => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await open(page, server.url);
    const moves = await page.evaluate(() => {
      const tepal = document.querySelector(".tepal");
      return tepal && getComputedStyle(tepal).transitionDuration;
    });
    assert.equal(moves, "0s");
  });
});

describe("accessibility", () => {
  for (const [look, options] of /** @type {const} */ ([
    ["light", { colorScheme: "light" }],
    ["dark", { colorScheme: "dark" }],
    ["phone", { viewport: PHONE, colorScheme: "light" }],
    ["phone, dark", { viewport: PHONE, colorScheme: "dark" }],
  ])) {
    test(`axe-core finds nothing: ${look}`, async () => {
      await context.close();
      await newContext(options);
      await open(page, server.url);
      assert.deepEqual(await axe(page), []);
      await fill("nobody-at-all-zq");
      assert.deepEqual(await axe(page), []);
      await fill("torvalds");
      await verdict(/^taken$/);
      assert.deepEqual(await axe(page), []);
      await fill(manifest.mistaken.name);
      await verdict(/^free after all$/);
      assert.deepEqual(await axe(page), []);
      await fill("stra\u00dfe");
      assert.deepEqual(await axe(page), []);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, "nothing sticks out to the side");
    });
  }

  test("everything is reached by keyboard, and the answer is read out politely, once it rests", async () => {
    await openAndStopClock();
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Skip to the name");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.locator("#name").focus();
    for (const letter of "nobody-zq") {
      await page.keyboard.press(letter);
      await page.clock.runFor(50);
    }
    assert.equal(await text("spoken"), "", "nothing is read out between keys");
    await page.clock.runFor(1000);
    assert.match((await text("spoken")) ?? "", /^nobody-zq: free, as of/);
    assert.equal(await page.locator("#spoken").getAttribute("aria-live"), "polite");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement?.id), "submit");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("name")), "twin");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.locator("input[name=twin]:checked").inputValue(), "80");
    for (const id of ["here-name", "check-start"]) {
      await page.keyboard.press("Tab");
      assert.equal(await page.evaluate(() => document.activeElement?.id), id);
    }
  });
});

describe("offline", () => {
  test("works after the first load, says what it cannot do, and comes back", async () => {
    await open(page, server.url);
    await workerReady();
    await context.setOffline(true);
    await page.waitForFunction(() => /You are offline/.test(document.querySelector("#notice")?.textContent ?? ""));
    await fill("nobody-at-all-zq");
    await verdict(/^free, as of/);
    await fill("torvalds");
    await page.waitForFunction(() => /cannot be reached/.test(document.querySelector("#detail")?.textContent ?? ""));
    assert.equal(await text("verdict"), "probably taken");
    assert.deepEqual(await axe(page), []);
    await context.setOffline(false);
    await page.waitForFunction(() => document.querySelector("#notice")?.hasAttribute("hidden"));
  });

  test("a reload without any server brings page and filter out of the cache", async () => {
    await open(page, server.url);
    await workerReady();
    await server.stop();
    try {
      await open(page, server.url);
      await fill("nobody-at-all-zq");
      await verdict(/^free, as of/);
      await fill("torvalds");
      await page.waitForFunction(() => /cannot be reached/.test(document.querySelector("#detail")?.textContent ?? ""));
      await page.locator("#submit").click();
      await verdict(/^not claimed$/);
    } finally {
      server = await startServer();
    }
  });
});
