/**
 * `node e2e/screenshots.mjs DIR`: the pictures for the documentation. Light, dark and phone, and the line of a mistake.
 */
import { mkdirSync } from "node:fs";
import { launchBrowser, open, startServer } from "./harness.mjs";

const out = process.argv[2] ?? "";
if (out === "") throw new Error("usage: node e2e/screenshots.mjs DIR");
mkdirSync(out, { recursive: true });

const server = await startServer();
const browser = await launchBrowser();
const manifest = await (await fetch(`${server.url}manifest.json`)).json();

/**
 * @param {string} file
 * @param {import("playwright-core").BrowserContextOptions} options
 * @param {string} name to type
 * @param {RegExp} verdict to wait for
 * @param {(page: import("playwright-core").Page) => Promise<Buffer>} shoot
 */
async function picture(file, options, name, verdict, shoot) {
  const context = await browser.newContext({ ...options, reducedMotion: "reduce" });
  const page = await context.newPage();
  await open(page, server.url);
  await page.locator("#name").pressSequentially(name, { delay: 20 });
  await page.waitForFunction((source) => new RegExp(source).test(document.querySelector("#verdict")?.textContent ?? ""), verdict.source);
  await page.waitForTimeout(300);
  const data = await shoot(page);
  console.log(`${file} ${data.length} bytes`);
  await context.close();
}

const desktop = { width: 1280, height: 800 };
/** @param {string} file */
const screen = (file) => (/** @type {import("playwright-core").Page} */ page) => page.screenshot({ path: `${out}/${file}` });

await picture("light.png", { viewport: desktop, colorScheme: "light", deviceScaleFactor: 1.5 }, "amber-fern", /^free, as of/, screen("light.png"));
await picture("dark.png", { viewport: desktop, colorScheme: "dark", deviceScaleFactor: 1.5 }, "torvalds", /^taken$/, screen("dark.png"));
await picture(
  "phone.png",
  { viewport: { width: 390, height: 844 }, colorScheme: "light", deviceScaleFactor: 2 },
  "amber-fern",
  /^free, as of/,
  screen("phone.png"),
);
await picture(
  "bits.png",
  { viewport: desktop, colorScheme: "light", deviceScaleFactor: 1.5 },
  manifest.mistaken.name,
  /^free after all$/,
  async (page) => {
    await page.locator("#line").scrollIntoViewIfNeeded();
    const box = await page.locator("#line").boundingBox();
    if (!box) throw new Error("there is no drawing");
    const clip = { x: box.x - 40, y: box.y + 24, width: box.width + 80, height: box.height - 48 };
    return page.screenshot({ path: `${out}/bits.png`, clip });
  },
);

await browser.close();
await server.stop();
