/**
 * The API, four questions and one deed. Every answer is JSON and is never cached; every refusal has a `code`.
 *
 *   GET  /api/check?name=…             taken or free, and when the filter was mistaken, whose bits it met
 *   POST /api/claim {"name": …}        201 yours, 409 somebody has it: the unique index decides
 *   GET  /api/slow-twin?name=…&ms=80   the same question, asked from 80 or 300 ms away
 *   GET  /api/claims                   the newest names claimed since the snapshot, and the stats
 *   GET  /api/stats                    what the filter has kept away from the database
 */
import { setTimeout as sleep } from "node:timers/promises";
import { handle } from "../normalise/normalise.mjs";

const DELAYS = [80, 300];
const LONGEST_BODY = 1024;

/** A refusal that goes to the visitor as it is. */
export class HttpError extends Error {
  /**
   * @param {number} status
   * @param {string} code
   * @param {Record<string, unknown>} [more]
   */
  constructor(status, code, more = {}) {
    super(code);
    this.status = status;
    this.code = code;
    this.more = more;
  }
}

/** @param {unknown} text */
function acceptName(text) {
  if (typeof text !== "string") throw new HttpError(400, "NAME_MISSING");
  const accepted = handle(text);
  if (accepted.name === undefined) throw new HttpError(422, "NAME_REFUSED", { ...accepted });
  return accepted.name;
}

/** @param {import("node:http").IncomingMessage} request */
async function readJson(request) {
  if (!/^application\/json\b/.test(request.headers["content-type"] ?? "")) throw new HttpError(415, "JSON_EXPECTED");
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > LONGEST_BODY) throw new HttpError(413, "BODY_TOO_LONG");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new HttpError(400, "JSON_MALFORMED");
  }
}

export class Api {
  #store;
  #gate;
  #now;
  stats = { asked: 0, keptFromDatabase: 0, databaseAsked: 0, filterMistaken: 0, claimed: 0, claimsRefused: 0, slowTwin: 0 };

  /**
   * @param {import("./store.mjs").Store} store
   * @param {import("./gate.mjs").Gate} gate
   * @param {() => number} [now]
   */
  constructor(store, gate, now = Date.now) {
    this.#store = store;
    this.#gate = gate;
    this.#now = now;
  }

  /**
   * Whether a name is taken. The filter is asked first; only its "probably" reaches the database.
   * @param {string} name
   */
  look(name) {
    this.stats.asked++;
    const filter = this.#gate.ask(name);
    if (filter === "no") {
      this.stats.keptFromDatabase++;
      return { name, taken: false, claimedAt: null, filter };
    }
    this.stats.databaseAsked++;
    const found = this.#store.find(name);
    if (!found.taken) this.stats.filterMistaken++;
    return { name, ...found, filter };
  }

  /** @param {string} name */
  owners(name) {
    return this.#gate.owners(name, (line) => this.#store.namesOnLine(line));
  }

  /** @param {string} text */
  check(text) {
    const answer = this.look(acceptName(text));
    const mistaken = answer.filter === "snapshot" && !answer.taken;
    return mistaken ? { ...answer, owners: this.owners(answer.name) } : answer;
  }

  /** @param {unknown} text */
  claim(text) {
    const name = acceptName(text);
    const now = this.#now();
    if (!this.#store.claim(name, this.#gate.lineOf(name), now)) {
      this.stats.claimsRefused++;
      throw new HttpError(409, "NAME_TAKEN", { name, claimedAt: this.#store.find(name).claimedAt });
    }
    this.stats.claimed++;
    this.#gate.add(name, () => this.#store.claims().map((claim) => claim.name));
    return { name, claimedAt: now };
  }

  /**
   * @param {import("node:http").IncomingMessage} request
   * @param {URL} url
   * @returns {Promise<{ status: number, body: unknown }>}
   */
  async answer(request, url) {
    const route = `${request.method === "HEAD" ? "GET" : request.method} ${url.pathname}`;
    const name = url.searchParams.get("name");
    switch (route) {
      case "GET /api/check":
        return { status: 200, body: this.check(/** @type {string} */ (name)) };
      case "GET /api/slow-twin": {
        const delay = Number(url.searchParams.get("ms"));
        if (!DELAYS.includes(delay)) throw new HttpError(400, "DELAY_UNKNOWN", { expected: DELAYS });
        const accepted = acceptName(name);
        this.stats.slowTwin++;
        await sleep(delay);
        return { status: 200, body: { name: accepted, taken: this.#store.find(accepted).taken } };
      }
      case "GET /api/claims":
        return { status: 200, body: { claims: this.#store.claims().slice(0, 8), stats: this.stats } };
      case "GET /api/stats":
        return { status: 200, body: this.stats };
      case "POST /api/claim": {
        const body = await readJson(request);
        return { status: 201, body: this.claim(body?.name) };
      }
      default:
        throw new HttpError(404, "NOT_FOUND");
    }
  }
}
