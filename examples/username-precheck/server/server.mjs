/**
 * The web server: node:http, no framework. `createServer` puts the parts together and can be tested in-process;
 * `main.mjs` is the command.
 * `/?wasm=blocked` is the same page under a policy that forbids wasm, to see how it behaves then.
 */
import { createServer as createHttpServer } from "node:http";
import { Api, HttpError } from "./api.mjs";
import { asset, securityHeaders, sendAsset } from "./site.mjs";

/**
 * @param {object} parts
 * @param {Map<string, import("./site.mjs").Asset>} parts.assets by URL path; the page is /index.html
 * @param {import("./gate.mjs").Gate} parts.gate
 * @param {import("./store.mjs").Store} parts.store
 * @param {() => number} [parts.now]
 */
export function createServer({ assets, gate, store, now }) {
  const api = new Api(store, gate, now);

  /**
   * @param {import("node:http").IncomingMessage} request
   * @param {import("node:http").ServerResponse} response
   */
  async function handleRequest(request, response) {
    const url = new URL(request.url ?? "/", "http://localhost");
    const headers = securityHeaders(url.searchParams.get("wasm") !== "blocked");
    try {
      if (url.pathname.startsWith("/api/")) {
        const { status, body } = await api.answer(request, url);
        sendJson(response, status, body, headers);
        return;
      }
      if (request.method !== "GET" && request.method !== "HEAD") throw new HttpError(405, "METHOD_NOT_ALLOWED");
      const path = url.pathname === "/" ? "/index.html" : url.pathname;
      if (path === "/delta.tepal") {
        const { bytes, etag } = gate.packedDelta();
        const found = asset("delta.tepal", bytes);
        sendAsset(request, response, { ...found, headers: { ...found.headers, etag } }, headers);
        return;
      }
      const found = assets.get(path);
      if (!found) throw new HttpError(404, "NOT_FOUND");
      sendAsset(request, response, found, headers);
    } catch (error) {
      const known = error instanceof HttpError ? error : new HttpError(500, "SERVER_ERROR");
      if (known.status === 500) console.error(error);
      if (!response.headersSent) sendJson(response, known.status, { code: known.code, ...known.more }, headers);
      else response.destroy();
    }
  }

  const server = createHttpServer(handleRequest);
  return { server, api };
}

/**
 * @param {import("node:http").ServerResponse} response
 * @param {number} status
 * @param {unknown} body
 * @param {Record<string, string>} headers
 */
function sendJson(response, status, body, headers) {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...headers,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
  });
  response.end(text);
}
