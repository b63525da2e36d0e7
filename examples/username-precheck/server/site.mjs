/**
 * Static files: everything is read at the start and kept in memory, so no request ever touches the file system, and no
 * path of a request is ever a path of the disk. Hashed names may be cached for ever, the rest is asked for again.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";

const TYPES = /** @type {Record<string, string>} */ ({
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".tepal": "application/octet-stream",
});
const IMMUTABLE = "public, max-age=31536000, immutable";
const REVALIDATE = "no-cache";

/**
 * Nothing but this origin; no inline script or style. `'wasm-unsafe-eval'` lets the page compile wasm, and only that.
 * @param {boolean} wasm
 */
export function contentSecurityPolicy(wasm) {
  return [
    "default-src 'none'",
    `script-src 'self'${wasm ? " 'wasm-unsafe-eval'" : ""}`,
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/**
 * Headers of every answer. The two cross-origin ones isolate the page, which gives it a clock fine enough to time one look-up.
 * @param {boolean} wasm
 */
export function securityHeaders(wasm) {
  return {
    "content-security-policy": contentSecurityPolicy(wasm),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  };
}

/** @typedef {{ body: Buffer, packed?: Buffer, headers: Record<string, string> }} Asset */

/**
 * @param {string} name
 * @param {Buffer} body
 * @param {Buffer} [packed] gzipped, when it is already there
 * @returns {Asset}
 */
export function asset(name, body, packed) {
  const extension = extname(name);
  const hashed = /\.[0-9a-z]{8,16}\.[a-z]+$/i.test(name);
  // A filter's bits are as good as random: packing gains nothing.
  const worth = extension !== ".tepal" && body.length > 1024;
  return {
    body,
    ...(worth ? { packed: packed ?? gzipSync(body, { level: 9 }) } : {}),
    headers: {
      "content-type": TYPES[extension] ?? "application/octet-stream",
      "cache-control": hashed ? IMMUTABLE : REVALIDATE,
      etag: `"${createHash("sha256").update(body).digest("hex").slice(0, 16)}"`,
      ...(worth ? { vary: "accept-encoding" } : {}),
    },
  };
}

/**
 * Every file of a folder and its subfolders, by URL path.
 * @param {string} folder
 * @param {string} [prefix]
 * @returns {Map<string, Asset>}
 */
export function readSite(folder, prefix = "/") {
  const assets = new Map();
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) {
      for (const entry of readSite(path, `${prefix}${name}/`)) assets.set(...entry);
    } else {
      assets.set(prefix + name, asset(name, readFileSync(path)));
    }
  }
  return assets;
}

/**
 * Answers with an asset: 304 when the visitor has it, packed when the visitor can unpack.
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {Asset} found
 * @param {Record<string, string>} headers
 */
export function sendAsset(request, response, found, headers) {
  if (request.headers["if-none-match"]?.split(/\s*,\s*/).includes(String(found.headers.etag))) {
    response.writeHead(304, { ...headers, ...found.headers }).end();
    return;
  }
  const packed = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? "")) ? found.packed : undefined;
  const body = packed ?? found.body;
  response.writeHead(200, {
    ...headers,
    ...found.headers,
    "content-length": body.length,
    ...(packed ? { "content-encoding": "gzip" } : {}),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}
