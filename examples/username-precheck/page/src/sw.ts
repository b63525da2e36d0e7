/**
 * Keeps the page, the filter and the delta for when there is no network. What has a hash in its name comes from the cache;
 * the page, the manifest and the delta come from the network while there is one. The API is never kept.
 */

/** Put in by the page's build: the files of the page, and their common hash. */
declare const SHELL: readonly string[];
declare const VERSION: string;

/** What a service worker has and a page does not; the DOM's types leave it out. */
interface Scope {
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  addEventListener(type: "install" | "activate", listener: (event: Lifetime) => void): void;
  addEventListener(type: "fetch", listener: (event: Fetch) => void): void;
}
interface Lifetime {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetch extends Lifetime {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

const scope = self as unknown as Scope;
const CACHE = `tepal-${VERSION}`;

async function keepAll(): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.addAll(["/", "/manifest.json", "/delta.tepal", ...SHELL]);
  const manifest = (await (await cache.match("/manifest.json"))?.json()) as { file: string };
  await cache.add(`/${manifest.file}`);
  await scope.skipWaiting();
}

async function forgetOthers(): Promise<void> {
  for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name);
  await scope.clients.claim();
}

/** "/usernames.0123….tepal" → "/usernames.": what a newer file of the same kind begins with too. */
const stem = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1) + (path.split("/").at(-1)?.split(".")[0] ?? "") + ".";

async function cacheFirst(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(request);
  if (kept) return kept;
  const response = await fetch(request);
  if (!response.ok) return response;
  // A new snapshot takes the place of the one before.
  const old = stem(new URL(request.url).pathname);
  for (const other of await cache.keys()) {
    if (new URL(other.url).pathname.startsWith(old)) await cache.delete(other);
  }
  await cache.put(request, response.clone());
  return response;
}

async function networkFirst(request: Request, key: string, keep: boolean): Promise<Response> {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.ok && keep) await cache.put(key, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(key);
    if (kept) return kept;
    throw error;
  }
}

scope.addEventListener("install", (event) => event.waitUntil(keepAll()));
scope.addEventListener("activate", (event) => event.waitUntil(forgetOthers()));
scope.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin || url.pathname.startsWith("/api/")) return;
  if (request.mode === "navigate") {
    // The page under another policy must not take the place of the page.
    event.respondWith(networkFirst(request, "/", url.pathname === "/" && !url.searchParams.has("wasm")));
  } else if (/\.[0-9a-z]{8,16}\.[a-z]+$/i.test(url.pathname)) {
    event.respondWith(cacheFirst(request));
  } else {
    event.respondWith(networkFirst(request, url.pathname, true));
  }
});
