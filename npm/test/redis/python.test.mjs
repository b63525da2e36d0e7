// A filter built and pushed by Python, asked by the server, pulled here, asked in wasm: to the byte, with the same answers.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pull, RemoteBloomFilter } from "tepal/redis";
import { ScalableBloomFilter as InWasm } from "tepal/schemes";
import { connected, startServers } from "./helpers.mjs";

// Made by scripts/setup-python.sh and scripts/install-wheel.sh, as scripts/redis.sh does.
const python = process.env.TEPAL_PYTHON ?? join(import.meta.dirname, "../../../.venv/bin/python");
const MEMBERS = 100_000;
const STRANGERS = 1_000_000;
let servers;
before(async () => {
  servers = await startServers();
});
after(() => servers.stop());

for (const [scheme, server] of [
  ["redisbloom", "redis"],
  ["redisbloom", "valkey"],
  ["valkey", "valkey_bloom"],
]) {
  test(`a filter of scheme ${scheme} through ${server}`, async (t) => {
    if (servers[server] === null) return t.skip("no valkey-bloom module here (TEPAL_VALKEY_BLOOM)");
    const { client } = await connected(t, "ioredis 6", servers[server]);
    const folder = mkdtempSync(join(tmpdir(), "tepal-redis-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "seen.tepal");
    // From another folder, so that only the installed package can be found.
    execFileSync(python, [join(import.meta.dirname, "python.py"), servers[server], "seen", scheme, MEMBERS, file], { cwd: folder });
    const seen = await pull(client, "seen");
    assert.ok(Buffer.from(seen.toBytes()).equals(readFileSync(file)));
    const remote = await RemoteBloomFilter.open(client, "seen", { create: false });
    const wasm = InWasm.fromBytes(seen.toBytes());
    assert.ok(Buffer.from(wasm.toBytes()).equals(readFileSync(file)));
    const members = Array.from({ length: MEMBERS }, (_, i) => `key-${i}`);
    for (const filter of [seen, wasm, remote]) assert.ok((await filter.hasMany(members)).every((answer) => answer === 1));
    const strangers = Array.from({ length: STRANGERS }, (_, i) => `stranger-${i}`);
    const here = seen.hasMany(strangers);
    for (const filter of [wasm, remote]) assert.ok(Buffer.from(here).equals(await filter.hasMany(strangers)));
    const wrong = here.reduce((sum, answer) => sum + answer, 0);
    assert.ok(wrong > 0 && wrong < STRANGERS * (scheme === "valkey" ? 0.02 : 0.01));
  });
}
