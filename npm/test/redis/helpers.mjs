// What the tests of tepal/redis share: real servers, the clients that people have, a connection that breaks.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import IORedis6 from "ioredis";
import IORedis5 from "ioredis5";
import * as nodeRedis6 from "redis";
import * as nodeRedis4 from "redis4";
import * as nodeRedis5 from "redis5";
import { isTepalError } from "tepal";

/** Starts redis, valkey and, where there is the module, valkey_bloom (else null): ports, pids and an end. */
export async function startServers() {
  const child = spawn("python3", [join(import.meta.dirname, "../../../tests/servers/run.py")], { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = await once(createInterface(child.stdout), "line");
  const ended = once(child, "exit");
  return {
    ...JSON.parse(line),
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

const ioredis = (Client) => (port, options) => {
  const client = new Client({ port, ...options });
  client.on("error", () => {}); // tests see errors where they are thrown
  return { client, raw: (...args) => client.call(...args), close: () => client.disconnect() };
};
const nodeRedis = (library, more) => async (port, options) => {
  const client = library.createClient({ socket: { port, ...options }, ...more });
  client.on("error", () => {});
  await client.connect();
  return { client, raw: (...args) => client.sendCommand(args.map(String)), close: () => (client.destroy ? client.destroy() : client.disconnect()) };
};

/** Each kind of client: how to connect one to a port. */
export const CLIENTS = {
  "ioredis 6": ioredis(IORedis6),
  "ioredis 6, RESP3": (port, options) => ioredis(IORedis6)(port, { protocol: 3, ...options }),
  "ioredis 5": ioredis(IORedis5),
  "ioredis 5, autopipelining, numbers as strings": (port, options) =>
    ioredis(IORedis5)(port, { enableAutoPipelining: true, stringNumbers: true, ...options }),
  "node-redis 6": nodeRedis(nodeRedis6),
  "node-redis 6, RESP3, numbers as strings": nodeRedis(nodeRedis6, { RESP: 3, commandOptions: { typeMapping: { 58: String, 36: String } } }),
  "node-redis 5": nodeRedis(nodeRedis5),
  "node-redis 4": nodeRedis(nodeRedis4),
  "a pool of node-redis 6": async (port) => {
    const client = nodeRedis6.createClientPool({ socket: { port } }, { minimum: 3 });
    client.on("error", () => {});
    await client.connect();
    return { client, raw: (...args) => client.sendCommand(args.map(String)), close: () => client.destroy() };
  },
};

/** Connects one kind of client for a test, to an emptied server. */
export async function connected(t, kind, port, options) {
  const one = await CLIENTS[kind](port, options);
  t.after(() => one.close());
  await one.raw("FLUSHALL", "SYNC");
  return one;
}

/** Expects a rejection (or a throw) with this code; gives the error. */
export async function failsWith(code, work, cause) {
  try {
    await work();
  } catch (error) {
    assert.ok(isTepalError(error), `a stranger came: ${error?.stack}`);
    assert.equal(error.code, code, error.message);
    if (cause !== undefined) assert.equal(error.cause?.code, cause);
    return error;
  }
  assert.fail(`no error, ${code} expected`);
}

/** A way to the server that breaks, for good, once so many bytes went to it. */
export async function cutAfter(t, port, limit) {
  let left = limit;
  const sockets = new Set();
  const end = () => {
    listener.close();
    for (const socket of sockets) socket.destroy();
  };
  const listener = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {});
    }
    near.on("data", (data) => {
      const part = data.subarray(0, left);
      left -= part.length;
      far.write(part, () => left === 0 && end());
    });
    far.pipe(near);
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  t.after(end);
  return listener.address().port;
}
