/**
 * Files: save is all or nothing whatever happens, load copies or maps. Node only; maps need the addon, the rest does not.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { BloomFilter, backend } from "tepal";

const only = { skip: backend === "native" ? false : "needs the addon" };
const posix = { skip: process.platform === "win32" ? "POSIX signals and limits" : false };
const ways = backend === "native" ? [false, true] : [false]; // of `mmap`

function workshop(t) {
  const directory = fs.mkdtempSync(join(tmpdir(), "tepal-"));
  t.after(() => fs.rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function filterOf(capacity, ...keys) {
  const filter = new BloomFilter({ capacity });
  filter.addMany(keys);
  return filter;
}

async function until(condition) {
  while (!condition()) await sleep(1);
}

/** Runs a script that sees `BloomFilter` and `args`, in a process of its own. */
const script = (body) => `
  import { BloomFilter } from ${JSON.stringify(import.meta.resolve("tepal"))};
  const args = process.argv.slice(1);
  ${body}`;

test("load copies, load with mmap maps", only, async (t) => {
  const path = join(workshop(t), "a.tepal");
  const filter = filterOf(100_000, "a", "b");
  await filter.save(path);
  assert.deepEqual(new Uint8Array(fs.readFileSync(path)), filter.toBytes());

  const copy = await BloomFilter.load(path);
  assert.equal(copy.readOnly, false);
  assert.ok(copy.equals(filter));
  assert.equal(copy.add("c"), true);

  const mapped = await BloomFilter.load(path, { mmap: true });
  assert.equal(mapped.readOnly, true);
  assert.ok(mapped.has("a") && mapped.has("b") && !mapped.has("c"));
  assert.ok(mapped.equals(filter));
  mapped.verify();
  assert.throws(() => mapped.add("c"), { code: "ERR_READ_ONLY" });
  assert.throws(() => mapped.addMany(["c"]), { code: "ERR_READ_ONLY" });

  // A save over the file gives a new one; what is mapped stays what it was.
  await filterOf(100_000, "z").save(path);
  mapped.verify();
  assert.ok(mapped.has("a") && !mapped.has("z"));
  assert.ok((await BloomFilter.load(path)).has("z"));
});

test("a mapped body is verified on demand", only, async (t) => {
  const path = join(workshop(t), "a.tepal");
  await filterOf(1000, "a").save(path);
  const bytes = fs.readFileSync(path);
  bytes[200] ^= 1;
  fs.writeFileSync(path, bytes);
  await assert.rejects(BloomFilter.load(path), { code: "ERR_CHECKSUM" });
  const mapped = await BloomFilter.load(path, { mmap: true });
  assert.throws(() => mapped.verify(), { code: "ERR_CHECKSUM" });
});

test("bad files are refused, copied or mapped", async (t) => {
  const path = join(workshop(t), "a.tepal");
  const good = filterOf(1000, "a").toBytes();
  for (const [bytes, code] of [
    [new Uint8Array(0), "ERR_TRUNCATED"],
    [good.slice(0, 100), "ERR_TRUNCATED"],
    [good.slice(0, -1), "ERR_TRUNCATED"],
    [Buffer.concat([good, Buffer.from([0])]), "ERR_TRAILING"],
    [Buffer.from("hello, this is no filter"), "ERR_MAGIC"],
  ]) {
    fs.writeFileSync(path, bytes);
    for (const mmap of ways) await assert.rejects(BloomFilter.load(path, { mmap }), { code }, `${code} ${mmap}`);
  }
  for (const mmap of ways) {
    await assert.rejects(BloomFilter.load(`${path}.not`, { mmap }), { code: "ERR_IO" });
    await assert.rejects(BloomFilter.load(join(path, ".."), { mmap }), { code: "ERR_IO" });
  }
});

test("a withheld seed is asked for", async (t) => {
  const path = join(workshop(t), "a.tepal");
  const filter = new BloomFilter({ capacity: 1000, seed: 12345678901234567890n });
  filter.addMany(["a"]);
  await filter.save(path, { withholdSeed: true });
  for (const mmap of ways) {
    await assert.rejects(BloomFilter.load(path, { mmap }), { code: "ERR_SEED_REQUIRED" });
    await assert.rejects(BloomFilter.load(path, { mmap, seed: 1 }), { code: "ERR_SEED_DIFFERS" });
    assert.ok((await BloomFilter.load(path, { mmap, seed: 12345678901234567890n })).has("a"));
  }
});

test("save follows links and keeps permissions", posix, async (t) => {
  const directory = workshop(t);
  const [path, link] = [join(directory, "a.tepal"), join(directory, "link")];
  await filterOf(1000, "a").save(path);
  fs.chmodSync(path, 0o600);
  fs.symlinkSync(path, link);
  await filterOf(1000, "b").save(link);
  assert.ok(fs.lstatSync(link).isSymbolicLink());
  assert.equal(fs.statSync(path).mode & 0o777, 0o600);
  assert.ok((await BloomFilter.load(path)).has("b"));
});

test("freeing a filter does not stop its save", async (t) => {
  const path = join(workshop(t), "a.tepal");
  const filter = filterOf(1_000_000, "a");
  const saved = filter.save(path);
  filter.free();
  await saved;
  assert.ok((await BloomFilter.load(path)).has("a"));
});

test("keys added during a save leave the file whole", async (t) => {
  const path = join(workshop(t), "a.tepal");
  const filter = filterOf(20_000_000, "before");
  let saving = true;
  const saved = filter.save(path).finally(() => (saving = false));
  for (let i = 0; saving; i++) {
    filter.add(i);
    if (i % 1000 === 0) await sleep(0);
  }
  await saved;
  assert.ok((await BloomFilter.load(path)).has("before")); // a copy: its checksum was compared
});

test("what cannot be written leaves the old file, no litter, and a usable filter", async (t) => {
  const directory = workshop(t);
  const filter = filterOf(1000, "a");
  await assert.rejects(filter.save(join(directory, "no", "such", "folder")), { code: "ERR_IO" });
  await assert.rejects(filter.save(directory), { code: "ERR_IO" });
  assert.deepEqual(fs.readdirSync(directory), []);
  if (fs.existsSync("/dev/full")) {
    // By a link: a save that wrongly renames over what it finds then replaces the link, not the device.
    const full = join(directory, "full");
    fs.symlinkSync("/dev/full", full);
    await assert.rejects(filter.save(full), { code: "ERR_IO", message: /no space left/i });
    assert.ok(fs.statSync(full).isCharacterDevice());
    assert.ok(fs.statSync("/dev/full").isCharacterDevice());
  }
  assert.ok(filter.has("a"));
});

test("a disk that fills up during save leaves the old file", posix, async (t) => {
  const directory = workshop(t);
  const path = join(directory, "a.tepal");
  await filterOf(1000, "old").save(path);
  const saving = script(`
    const filter = new BloomFilter({ capacity: 1_000_000 });
    filter.add("new");
    const error = await filter.save(args[0]).then(() => undefined, (error) => error);
    console.log(JSON.stringify({ code: error?.code, has: filter.has("new"), add: filter.add("more") }));
  `);
  // A limit on file sizes stands in for the full disk: writes fail in the middle (Node ignores SIGXFSZ).
  const limited = 'ulimit -f 100 && exec "$0" --input-type=module -e "$1" "$2"';
  const child = spawnSync("sh", ["-c", limited, process.execPath, saving, path], { encoding: "utf8" });
  assert.equal(child.status, 0, child.stderr);
  assert.deepEqual(JSON.parse(child.stdout), { code: "ERR_IO", has: true, add: true });
  assert.deepEqual(fs.readdirSync(directory), ["a.tepal"]);
  assert.ok((await BloomFilter.load(path)).has("old"));
});

test("a process killed during save leaves the old file or the new one", posix, async (t) => {
  const directory = workshop(t);
  const path = join(directory, "a.tepal");
  await filterOf(1000, "old").save(path);
  const saving = script(`
    const filter = new BloomFilter({ capacity: 20_000_000 });
    filter.add("new");
    for (;;) await filter.save(args[0]);
  `);
  let [old, fresh, caught] = [0, 0, 0];
  for (let round = 0; round < 12; round++) {
    const child = spawn(process.execPath, ["--input-type=module", "-e", saving, path], { stdio: "inherit" });
    const ended = new Promise((resolve) => child.once("exit", resolve));
    await until(() => fs.readdirSync(directory).length > 1); // a save has begun
    if (round % 2 === 1) await until(() => fs.statSync(path).size > 1e7); // one is done, the next under way
    await sleep(round);
    child.kill("SIGKILL");
    await ended;
    const left = fs.readdirSync(directory).filter((name) => name !== "a.tepal");
    caught += left.length; // killed while the temporary file was being written
    for (const name of left) fs.rmSync(join(directory, name));
    const found = await BloomFilter.load(path); // a copy: every byte was verified
    assert.equal(found.has("old"), !found.has("new"));
    if (found.has("old")) old++;
    else fresh++;
  }
  t.diagnostic(`old file ${old} times, new file ${fresh} times, ${caught} times killed in the middle of a save`);
  assert.ok(caught > 0, "no kill hit a save: the test proves nothing");
});
