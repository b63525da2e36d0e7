// Clients of a cluster send each key to the server that has it. Two servers, half of the slots each.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import IORedis6 from "ioredis";
import IORedis5 from "ioredis5";
import * as nodeRedis6 from "redis";
import * as nodeRedis4 from "redis4";
import * as tepal from "tepal";
import { doctor, pull, push, RemoteBloomFilter, serverDefaults } from "tepal/redis";
import { failsWith } from "./helpers.mjs";

const START = `
import json, sys
sys.path.insert(0, sys.argv[1])
from run import server
with server("redis", "--cluster-enabled", "yes") as one, server("redis", "--cluster-enabled", "yes") as two:
    print(json.dumps([one.port, two.port]), flush=True)
    sys.stdin.read()
`;
let python;
let ports;

before(async () => {
  const folder = join(import.meta.dirname, "../../../tests/servers");
  python = spawn("python3", ["-c", START, folder], { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = await once(createInterface(python.stdout), "line");
  ports = JSON.parse(line);
  const nodes = ports.map((port) => new IORedis6({ port }));
  await nodes[0].call("CLUSTER", "ADDSLOTSRANGE", 0, 8191);
  await nodes[1].call("CLUSTER", "ADDSLOTSRANGE", 8192, 16383);
  await nodes[0].call("CLUSTER", "MEET", "127.0.0.1", ports[1]);
  for (const node of nodes) {
    while (!/cluster_state:ok[\s\S]*cluster_known_nodes:2/.test(await node.call("CLUSTER", "INFO"))) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    node.disconnect();
  }
});
after(async () => {
  python.stdin.end();
  await once(python, "exit");
});

const ioredis = (Client) => async () => {
  const client = new Client.Cluster([{ port: ports[0], host: "127.0.0.1" }]);
  return { client, close: () => client.disconnect() };
};
const nodeRedis = (library) => async () => {
  const client = library.createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${ports[1]}` }] });
  client.on("error", () => {});
  await client.connect();
  return { client, close: () => (client.destroy ? client.destroy() : client.disconnect()) };
};

for (const [name, connect] of Object.entries({
  "ioredis 6": ioredis(IORedis6),
  "ioredis 5": ioredis(IORedis5),
  "node-redis 6": nodeRedis(nodeRedis6),
  "node-redis 4": nodeRedis(nodeRedis4),
})) {
  describe(name, () => {
    test("filters of both servers", async (t) => {
      const { client, close } = await connect();
      t.after(close);
      for (const key of ["a", "b", "c", "d", "{tag}e"].map((key) => `${key}-${name}`)) {
        const seen = await RemoteBloomFilter.open(client, key, { capacity: 1_000 });
        assert.ok((await seen.addMany(Array.from({ length: 3_000 }, (_, i) => i))).filter(Boolean).length > 2_900);
        const back = await pull(client, key);
        await push(client, `${key}-copy`, back);
        assert.deepEqual((await pull(client, `${key}-copy`)).toBytes(), back.toBytes());
        await failsWith("ERR_IO", () => push(client, key, back, { overwrite: false }), "EEXIST");
        assert.equal(await new RemoteBloomFilter(client, `${key}-copy`, { create: false }).has(2_999), true);
      }
    });

    test("what is asked of one server", async (t) => {
      const { client, close } = await connect();
      t.after(close);
      for (const ask of [doctor, serverDefaults]) {
        assert.ok((await failsWith("ERR_ARGUMENT_TYPE", () => ask(client))) instanceof tepal.ArgumentError);
      }
    });
  });
}
