/**
 * The page as visitors use it: real server, real names, Debian's Chromium. Typing, claiming, checking.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { axe, open, root } from "./harness.mjs";
import { visiting } from "./visit.mjs";

const run = promisify(execFile);
const NAMES = 665_921;
const v = visiting();

describe("typing", () => {
  test("a free name costs no request until it is submitted", async () => {
    await v.openAndStopClock();
    const name = v.fresh();
    v.requests.length = 0;
    const stats = await (await fetch(`${v.server.url}api/stats`)).json();
    for (const letter of name) {
      await v.page.locator("#name").press(letter);
      await v.page.clock.runFor(40);
    }
    await v.page.clock.runFor(5_000);
    assert.match(await v.text("verdict"), /^free, as of (a moment|\d+ seconds?) ago$/);
    assert.match(await v.text("detail"), /with no request: of eight bits, (one is|[a-z]+ are) empty/);
    assert.equal(v.requests.length, 0, v.requests.join());
    assert.equal(Number(await v.text("tally-requests")), 0);
    assert.equal(Number(await v.text("tally-avoided")), name.length);

    await v.page.locator("#name").press("Enter");
    await v.verdict(/^yours$/);
    assert.deepEqual(v.requests.slice(0, 1), ["POST /api/claim"]);
    assert.ok(!v.requests.some((request) => request.includes("/api/check")));
    const now = await (await fetch(`${v.server.url}api/stats`)).json();
    assert.equal(now.asked, stats.asked, "the server was never asked whether it is free");
    assert.equal(now.claimed, stats.claimed + 1);
  });

  test("the answer is there before the event is over", async () => {
    await v.open();
    const seen = await v.page.evaluate(() => {
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
    await v.openAndStopClock();
    v.requests.length = 0;
    for (const letter of "torvalds") {
      await v.page.locator("#name").press(letter);
      await v.page.clock.runFor(100);
    }
    assert.equal(await v.text("verdict"), "probably taken");
    assert.equal(v.requests.length, 0, v.requests.join());
    await v.page.clock.runFor(300);
    await v.verdict(/^taken$/);
    assert.deepEqual(v.requests, ["GET /api/check"]);
  });

  test("a question under way is called back when another key is hit", async () => {
    await v.open();
    /** @type {() => void} */
    let answer = () => {};
    const held = new Promise((resolve) => {
      answer = () => resolve(undefined);
    });
    await v.page.route("**/api/check*", async (route) => {
      await held;
      await route.continue().catch(() => {});
    });
    const asked = v.page.waitForRequest("**/api/check*");
    await v.fill("torvalds");
    await asked;
    const failed = v.page.waitForEvent("requestfailed", (request) => request.url().includes("/api/check"));
    await v.fill("torvalds-zq-nobody");
    await failed;
    answer();
    await v.page.waitForTimeout(300);
    await v.verdict(/^free, as of/);
  });

  test("a name the filter is mistaken about is corrected, and the line says whose bits it met", async () => {
    assert.ok(v.manifest.mistaken, "there is an example");
    await v.open();
    assert.equal(await v.page.locator(".lane-row").count(), 8, "the example is drawn before anything is typed");
    await v.fill(v.manifest.mistaken.name);
    assert.equal(await v.text("verdict"), "probably taken");
    await v.verdict(/^free after all$/);
    assert.match(await v.text("line-note"), /names share this line/);
    const labels = await v.page.locator(".lane-label").allTextContents();
    assert.equal(labels.length, 8);
    for (const [lane, label] of labels.entries()) {
      const [owner] = v.manifest.mistaken.owners.bits.find((/** @type {any} */ bit) => bit.lane === lane).names;
      assert.ok(label.startsWith(`set by ${owner}`), label);
    }
    assert.equal(await v.page.locator(".ring-set").count(), 16, "eight rings, in the wide drawing and in the narrow one");
    await v.fill("nobody-has-this-zq");
    assert.ok((await v.page.locator(".ring-free").count()) > 0, "a free name meets an empty bit");
  });

  test("a name claimed since the snapshot is in the delta", async () => {
    const name = v.fresh();
    await v.claimByApi(name);
    await v.open();
    await v.fill(name);
    assert.equal(await v.text("verdict"), "probably taken");
    assert.match(await v.text("detail"), /since the snapshot/);
    await v.verdict(/^taken$/);
    assert.match(await v.text("detail"), /after the snapshot/);
    assert.ok((await v.page.locator("#claims b").allTextContents()).includes(name));
  });

  test("what cannot be a name is refused, and the page says which character", async () => {
    await v.open();
    v.requests.length = 0;
    for (const [typed, expected] of /** @type {const} */ ([
      ["stra\u00dfe", /“ß”/],
      ["under_score", /“_”/],
      ["two words", /a space/],
      ["zero\u200bwidth", /U\+200B/],
      ["me@example.com", /“@”/],
      ["x".repeat(40), /at most 39/],
    ])) {
      await v.fill(typed);
      assert.match(await v.text("detail"), expected);
    }
    await v.page.waitForTimeout(600);
    assert.ok(!v.requests.some((request) => request.includes("/api/check")));
    await v.page.locator("#name").press("Enter");
    assert.match(await v.text("verdict"), /too long/);
    await v.page.waitForTimeout(300);
    assert.ok(!v.requests.includes("POST /api/claim"));
  });

  test("a paste with white space around it is a name", async () => {
    await v.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await v.open();
    await v.page.evaluate(() => navigator.clipboard.writeText("  TORVALDS\n"));
    await v.page.locator("#name").press("ControlOrMeta+v");
    await v.verdict(/^(probably )?taken$/);
  });

  test("half a syllable of an input method is not judged", async () => {
    await v.open();
    await v.page.locator("#name").focus();
    const input = await v.context.newCDPSession(v.page);
    await input.send("Input.imeSetComposition", { text: "に", selectionStart: 1, selectionEnd: 1 });
    await input.send("Input.imeSetComposition", { text: "にほ", selectionStart: 2, selectionEnd: 2 });
    assert.equal(await v.page.locator("#name").inputValue(), "にほ");
    assert.match(await v.text("verdict"), /^Type/);
    await input.send("Input.insertText", { text: "日本" });
    await v.verdict(/^not a user name$/);
  });

  test("the twin asks a server for every keystroke, and only when it is on", async () => {
    await v.open();
    const name = v.fresh();
    v.requests.length = 0;
    await v.page.locator("#name").pressSequentially(name.slice(0, 3));
    assert.ok(!v.requests.some((request) => request.includes("slow-twin")));
    await v.page.getByText("80 ms away", { exact: true }).first().click();
    await v.page.locator("#name").fill("");
    v.requests.length = 0;
    await v.page.locator("#name").pressSequentially(name);
    await v.page.waitForFunction(() => document.querySelector("#twin-verdict")?.textContent === "free");
    assert.equal(v.requests.filter((request) => request.includes("slow-twin")).length, name.length);
    assert.match(await v.text("twin-time"), /answered after \d+ ms/);
    await v.page.locator("#here-name").fill("torvalds");
    assert.equal(await v.page.locator("#name").inputValue(), "torvalds");
    await v.verdict(/^(probably )?taken$/);
  });
});

describe("claiming", () => {
  test("two tabs, one name: the index decides", async () => {
    const name = v.fresh();
    const other = await v.context.newPage();
    await v.open();
    await open(other, `${v.server.url}?name=${name}`);
    await v.fill(name);
    for (const tab of [v.page, other]) assert.match((await tab.locator("#verdict").textContent()) ?? "", /^free, as of/);
    await Promise.all([v.page, other].map((tab) => tab.locator("#submit").click()));
    const final = async (/** @type {import("playwright-core").Page} */ tab) => {
      await tab.waitForFunction(() => /^(yours|somebody has it)$/.test(document.querySelector("#verdict")?.textContent ?? ""));
      return tab.locator("#verdict").textContent();
    };
    assert.deepEqual((await Promise.all([final(v.page), final(other)])).sort(), ["somebody has it", "yours"]);
  });

  test("the second tab is a link that carries the name along", async () => {
    await v.open();
    await v.fill("carried-along-zq");
    const [other] = await Promise.all([v.context.waitForEvent("page"), v.page.locator("#second-tab").click()]);
    await other.waitForSelector("html[data-filter=ready]");
    assert.equal(await other.locator("#name").inputValue(), "carried-along-zq");
    assert.match((await other.locator("#verdict").textContent()) ?? "", /^free, as of/);
  });

  test("submitting a taken name asks the server too", async () => {
    await v.open();
    await v.fill("torvalds");
    await v.page.locator("#submit").click();
    await v.verdict(/^somebody has it$/);
    assert.ok(v.requests.includes("POST /api/claim"));
  });
});

describe("check it yourself", () => {
  test("no name missed, strangers as promised, one hash in three languages, lines that work", async () => {
    await v.open();
    await v.page.locator("#check-start").click();
    await v.page.waitForSelector("#results[data-state=done]", { timeout: 180_000 });
    assert.equal(await v.text("result-missed"), "0 missed");
    assert.equal(await v.text("result-missed-what"), `of ${NAMES.toLocaleString("en")} names asked`);
    const rate = Number.parseFloat(await v.text("result-rate")) / 100;
    const predicted = v.manifest.estimatedRate;
    const sigma = Math.sqrt((predicted * (1 - predicted)) / 1e6);
    // The page shows three decimals of a percent.
    assert.ok(Math.abs(rate - predicted) <= 4 * sigma + 0.5e-5, `measured ${rate}, predicted ${predicted}`);
    assert.match(await v.text("result-rate-what"), /^of 1,000,000 strangers/);
    assert.match(await v.text("result-speed"), /^\d+\.\d million$/);
    const hashes = await Promise.all(["python", "node", "browser"].map((language) => v.text(`hash-${language}`)));
    assert.deepEqual(hashes, [v.manifest.sha256, v.manifest.sha256, v.manifest.sha256]);
    assert.match(await v.text("hash-verdict"), /^Equal to the byte/);

    const path = `${root}.cache/venv/bin:${process.env.PATH}`;
    for (const language of ["python", "node"]) {
      const line = await v.text(`copy-${language}`);
      const { stdout } = await run("sh", ["-c", line], { cwd: root, env: { ...process.env, PATH: path } });
      assert.equal(stdout.trim(), v.manifest.sha256, line);
    }
    const browserLine = await v.text("copy-browser");
    const [logged] = await Promise.all([v.page.waitForEvent("console", (message) => /^[0-9a-f]{64}$/.test(message.text())), v.page.evaluate(browserLine)]);
    assert.equal(logged.text(), v.manifest.sha256);
    assert.deepEqual(await axe(v.page), []);
  });
});
