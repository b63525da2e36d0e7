/**
 * One visit of the page a test: `visiting()` starts server and browser for a file, opens a fresh context before each test,
 * and fails a test in which the page threw. The clock of the page is the test's where the pause before a request matters,
 * so a slow machine changes nothing.
 */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach } from "node:test";
import { launchBrowser, open, startServer } from "./harness.mjs";

export const PHONE = { width: 390, height: 844 };

export class Visit {
  /** @type {Awaited<ReturnType<typeof startServer>>} */
  server = /** @type {any} */ (undefined);
  /** @type {import("playwright-core").Browser} */
  browser = /** @type {any} */ (undefined);
  /** @type {import("playwright-core").BrowserContext} */
  context = /** @type {any} */ (undefined);
  /** @type {import("playwright-core").Page} */
  page = /** @type {any} */ (undefined);
  /** @type {any} */
  manifest;
  /** @type {string[]} method and path of every request, the service worker's included */
  requests = [];
  /** @type {string[]} what the page threw */
  complaints = [];
  #unique = 0;

  async start() {
    this.server = await startServer();
    this.browser = await launchBrowser();
    this.manifest = await (await fetch(`${this.server.url}manifest.json`)).json();
  }

  async stop() {
    await this.browser?.close();
    await this.server?.stop();
  }

  /** @param {import("playwright-core").BrowserContextOptions} [options] */
  async begin(options = {}) {
    this.context = await this.browser.newContext(options);
    this.context.setDefaultTimeout(30_000);
    this.requests = [];
    this.complaints = [];
    this.context.on("request", (request) => this.requests.push(`${request.method()} ${new URL(request.url()).pathname}`));
    this.context.on("weberror", (error) => this.complaints.push(String(error.error())));
    this.page = await this.context.newPage();
  }

  async end() {
    await this.context.close();
    assert.deepEqual(this.complaints, [], "nothing is thrown in the page");
  }

  /** Opens the page; `path` may have a query. */
  open(path = "", status = "ready") {
    return open(this.page, this.server.url + path, status);
  }

  /** A name nobody has, another one each time. */
  fresh() {
    return `e2e-${process.pid}-${(this.#unique++).toString(36)}-zq`;
  }

  /** @param {string} name */
  fill(name) {
    return this.page.locator("#name").fill(name);
  }

  /** @param {string} id */
  async text(id) {
    return (await this.page.locator(`#${id}`).textContent()) ?? "";
  }

  /**
   * Waits until the text of an element is like that.
   * @param {string} id
   * @param {RegExp} pattern
   */
  async says(id, pattern) {
    await this.page.waitForFunction(
      ([place, source]) => new RegExp(source ?? "").test(document.querySelector(`#${place}`)?.textContent ?? ""),
      [id, pattern.source],
    );
  }

  /** @param {RegExp} pattern */
  verdict(pattern) {
    return this.says("verdict", pattern);
  }

  workerReady() {
    return this.page.waitForSelector("html[data-offline-ready]", { state: "attached" });
  }

  /** Opens the page; from then on its time passes only by `page.clock.runFor`. */
  async openAndStopClock() {
    await this.page.clock.install();
    await this.open();
    await this.workerReady();
    await this.page.clock.pauseAt(Date.now() + 1000);
  }

  /** @param {string} name */
  async claimByApi(name) {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${this.server.url}api/claim`, { method: "POST", headers, body: JSON.stringify({ name }) });
    assert.equal(response.status, 201);
  }
}

/** Registers the hooks of a test file. */
export function visiting() {
  const visit = new Visit();
  before(() => visit.start());
  after(() => visit.stop());
  beforeEach(() => visit.begin());
  afterEach(() => visit.end());
  return visit;
}
