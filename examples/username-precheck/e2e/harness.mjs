/**
 * Starts the real server on a free port with the real names, and Debian's Chromium. The database is the tests' own; claims
 * of an earlier run are taken out of it first.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { chromium } from "playwright-core";

export const root = fileURLToPath(new URL("..", import.meta.url));
const DATABASE = `${root}.cache/e2e.sqlite`;

const BROWSER_ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const axeSource = createRequire(import.meta.url)("axe-core").source;

export function launchBrowser() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: BROWSER_ARGUMENTS });
}

function forgetClaims() {
  if (!existsSync(DATABASE)) return;
  const database = new Database(DATABASE);
  try {
    database.exec("DELETE FROM handles WHERE claimed_at IS NOT NULL");
  } catch {
    // A database that was never filled has no such table.
  } finally {
    database.close();
  }
}

/**
 * Starts the server.
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function startServer() {
  forgetClaims();
  const server = spawn(process.execPath, ["server/main.mjs", "--port", "0", "--database", DATABASE], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => server.once("exit", resolve));
  let said = "";
  const url = await new Promise((resolve, reject) => {
    server.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
    server.stdout.on("data", (data) => {
      said += data;
      const address = /address\s+(\S+)/.exec(said);
      if (address) resolve(address[1]);
    });
  });
  return {
    url,
    async stop() {
      server.kill("SIGTERM");
      await ended;
    },
  };
}

/**
 * Opens the page and waits until it has decided what it can do.
 * @param {import("playwright-core").Page} page
 * @param {string} url
 * @param {string} [status] of the filter
 */
export async function open(page, url, status = "ready") {
  await page.goto(url);
  await page.waitForSelector(`html[data-filter=${status}]`);
}

/**
 * What axe-core finds, one line a finding.
 * @param {import("playwright-core").Page} page
 * @returns {Promise<string[]>}
 */
export async function axe(page) {
  // A colour in the middle of a transition is no colour of the page.
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.evaluate(axeSource);
  return page.evaluate(async () => {
    // @ts-expect-error axe is there by now
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    return violations.flatMap((/** @type {any} */ rule) =>
      rule.nodes.map((/** @type {any} */ node) => `${rule.id}: ${node.target} ${node.failureSummary}`),
    );
  });
}
