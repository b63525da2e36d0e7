/**
 * The page under bad conditions, and for everybody: wasm blocked, downloads that fail or take long, no network, keyboard,
 * screen reader, dark, phone.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { axe, startServer } from "./harness.mjs";
import { PHONE, visiting } from "./visit.mjs";

const v = visiting();

describe("when things go wrong", () => {
  test("wasm blocked by the policy: it says so, and asks the server instead", async () => {
    await v.open("?wasm=blocked", "blocked");
    assert.match(await v.text("notice"), /WebAssembly is blocked .*'wasm-unsafe-eval'/);
    assert.doesNotMatch(await v.text("lede"), /sends nothing/);
    await v.fill("torvalds");
    await v.verdict(/^taken$/);
    assert.match(await v.text("detail"), /Says the server/);
    await v.fill(v.fresh());
    await v.verdict(/^free$/);
    assert.ok(await v.page.locator("#check-start").isDisabled());
    assert.deepEqual(await axe(v.page), []);
  });

  test("a filter that does not arrive: it says so, asks the v.server, and can try again", async () => {
    await v.page.route("**/usernames.*.tepal", (route) => route.abort());
    await v.open("", "failed");
    assert.match(await v.text("notice"), /did not arrive/);
    await v.fill("torvalds");
    await v.verdict(/^taken$/);
    assert.deepEqual(await axe(v.page), []);
    await v.page.unroute("**/usernames.*.tepal");
    await v.page.getByRole("button", { name: "Try again" }).click();
    await v.page.waitForSelector("html[data-filter=ready]");
    assert.ok(await v.page.locator("#notice").isHidden());
    await v.fill("nobody-at-all-zq");
    await v.verdict(/^free, as of/);
  });

  test("a damaged filter is not believed", async () => {
    await v.page.route("**/usernames.*.tepal", async (route) => {
      const response = await route.fetch();
      const body = await response.body();
      body[5000] = (body[5000] ?? 0) ^ 1;
      await route.fulfill({ response, body });
    });
    await v.open("", "failed");
    assert.match(await v.text("notice"), /not the one that its manifest describes/);
  });

  test("a slow connection: progress is shown, and the server answers meanwhile", async () => {
    /** @type {() => void} */
    let arrive = () => {};
    const held = new Promise((resolve) => {
      arrive = () => resolve(undefined);
    });
    await v.page.route("**/usernames.*.tepal", async (route) => {
      await held;
      await route.continue();
    });
    await v.page.goto(v.server.url);
    await v.page.waitForSelector("#progress:not([hidden])");
    await v.fill("torvalds");
    await v.verdict(/^taken$/);
    arrive();
    await v.page.waitForSelector("html[data-filter=ready]");
    await v.page.waitForFunction(() => document.querySelector("#progress")?.hasAttribute("hidden"));
    await v.verdict(/^(probably )?taken$/);
  });

  test("reduced motion stands still", async () => {
    await v.page.emulateMedia({ reducedMotion: "reduce" });
    await v.open();
    const moves = await v.page.evaluate(() => {
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
      await v.context.close();
      await v.begin(options);
      await v.open();
      assert.deepEqual(await axe(v.page), []);
      await v.fill("nobody-at-all-zq");
      assert.deepEqual(await axe(v.page), []);
      await v.fill("torvalds");
      await v.verdict(/^taken$/);
      assert.deepEqual(await axe(v.page), []);
      await v.fill(v.manifest.mistaken.name);
      await v.verdict(/^free after all$/);
      assert.deepEqual(await axe(v.page), []);
      await v.fill("stra\u00dfe");
      assert.deepEqual(await axe(v.page), []);
      const wide = await v.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, "nothing sticks out to the side");
    });
  }

  test("everything is reached by keyboard, and the answer is read out politely, once it rests", async () => {
    await v.openAndStopClock();
    await v.page.keyboard.press("Tab");
    assert.equal(await v.page.evaluate(() => document.activeElement?.textContent), "Skip to the name");
    await v.page.keyboard.press("Enter");
    await v.page.keyboard.press("Tab");
    await v.page.locator("#name").focus();
    for (const letter of "nobody-zq") {
      await v.page.keyboard.press(letter);
      await v.page.clock.runFor(50);
    }
    assert.equal(await v.text("spoken"), "", "nothing is read out between keys");
    await v.page.clock.runFor(1000);
    assert.match(await v.text("spoken"), /^nobody-zq: free, as of/);
    assert.equal(await v.page.locator("#spoken").getAttribute("aria-live"), "polite");
    await v.page.keyboard.press("Tab");
    assert.equal(await v.page.evaluate(() => document.activeElement?.id), "submit");
    await v.page.keyboard.press("Tab");
    assert.equal(await v.page.evaluate(() => document.activeElement?.getAttribute("name")), "twin");
    await v.page.keyboard.press("ArrowRight");
    assert.equal(await v.page.locator("input[name=twin]:checked").inputValue(), "80");
    for (const id of ["here-name", "check-start"]) {
      await v.page.keyboard.press("Tab");
      assert.equal(await v.page.evaluate(() => document.activeElement?.id), id);
    }
  });
});

describe("offline", () => {
  test("works after the first load, says what it cannot do, and comes back", async () => {
    await v.open();
    await v.workerReady();
    await v.context.setOffline(true);
    await v.says("notice", /You are offline/);
    await v.fill("nobody-at-all-zq");
    await v.verdict(/^free, as of/);
    await v.fill("torvalds");
    await v.says("detail", /cannot be reached/);
    assert.equal(await v.text("verdict"), "probably taken");
    assert.deepEqual(await axe(v.page), []);
    await v.context.setOffline(false);
    await v.page.waitForFunction(() => document.querySelector("#notice")?.hasAttribute("hidden"));
  });

  test("a reload without any server brings page and filter out of the cache", async () => {
    await v.open();
    await v.workerReady();
    await v.server.stop();
    try {
      await v.open();
      await v.fill("nobody-at-all-zq");
      await v.verdict(/^free, as of/);
      await v.fill("torvalds");
      await v.says("detail", /cannot be reached/);
      await v.page.locator("#submit").click();
      await v.verdict(/^not claimed$/);
    } finally {
      v.server = await startServer();
    }
  });
});
