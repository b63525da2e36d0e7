/**
 * "Check it yourself", in a worker, so that the page stays awake: fetches filter and list, asks every name and a million
 * strangers made up on the spot, and hashes the filter as this browser's wasm writes it.
 */
import { BloomFilter } from "tepal";
import { download, sha256 } from "./names.js";

export interface CheckRequest {
  readonly filter: { readonly path: string; readonly bytes: number };
  readonly list: { readonly path: string; readonly bytes: number };
  readonly strangers: number;
}

export type CheckReport =
  | { kind: "fetched"; share: number }
  | { kind: "names"; asked: number; of: number; missed: number }
  | { kind: "strangers"; asked: number; of: number; yes: number }
  | { kind: "done"; keysPerSecond: number; sha256: string; estimatedRate: number; real: number }
  | { kind: "failed"; reason: string };

const CHUNK = 8192;
/** Reports go out about this often, in milliseconds: often enough to watch, too seldom to slow the work down. */
const REPORT_EVERY = 60;
const SYLLABLES = [..."bdfgklmnprstvz"].flatMap((consonant) => [..."aeiou"].map((vowel) => consonant + vowel));

const report = (message: CheckReport): void => postMessage(message);

/** Makes up names that nobody has; other ones each time. */
function* strangers(known: ReadonlySet<string>, met: () => void): Generator<string> {
  const random = new Uint32Array(4096);
  for (let number = 0; ; ) {
    crypto.getRandomValues(random);
    for (const word of random) {
      const syllable = (shift: number) => SYLLABLES[((word >>> shift) & 1023) % SYLLABLES.length] ?? "";
      const name = `${syllable(0)}${syllable(10)}${syllable(20)}-${(number++).toString(36)}`;
      if (known.has(name)) met();
      else yield name;
    }
  }
}

function* chunks(names: Iterable<string>, total: number): Generator<string[]> {
  let chunk: string[] = [];
  let left = total;
  for (const name of names) {
    if (left-- === 0) break;
    chunk.push(name);
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** Asks the filter all names; gives how many it knows and how long it took, the making of names not counted. */
function ask(filter: BloomFilter, names: Iterable<string>, total: number, progress: (asked: number, yes: number) => void) {
  let [asked, yes, milliseconds, reported] = [0, 0, 0, 0];
  for (const chunk of chunks(names, total)) {
    const started = performance.now();
    const answers = filter.hasMany(chunk);
    const now = performance.now();
    milliseconds += now - started;
    for (const answer of answers) yes += answer;
    asked += chunk.length;
    if (now - reported > REPORT_EVERY) {
      progress(asked, yes);
      reported = now;
    }
  }
  progress(asked, yes);
  return { asked, yes, milliseconds };
}

async function run({ filter: filterFile, list: listFile, strangers: count }: CheckRequest): Promise<void> {
  const size = filterFile.bytes + listFile.bytes;
  const data = await download(filterFile.path, filterFile.bytes, (done) => report({ kind: "fetched", share: done / size }));
  const list = await download(listFile.path, listFile.bytes, (done) =>
    report({ kind: "fetched", share: (filterFile.bytes + done) / size }),
  );
  const filter = BloomFilter.fromBytes(data);
  const names = new TextDecoder().decode(list).trimEnd().split("\n");
  const known = new Set(names);

  const all = ask(filter, names, names.length, (asked, yes) =>
    report({ kind: "names", asked, of: names.length, missed: asked - yes }),
  );
  let real = 0;
  const others = ask(
    filter,
    strangers(known, () => real++),
    count,
    (asked, yes) => report({ kind: "strangers", asked, of: count, yes }),
  );
  report({
    kind: "done",
    keysPerSecond: (1000 * (all.asked + others.asked)) / (all.milliseconds + others.milliseconds),
    sha256: await sha256(filter.toBytes() as Uint8Array<ArrayBuffer>),
    estimatedRate: filter.estimatedFpr,
    real,
  });
  filter.free();
}

addEventListener("message", (event: MessageEvent<CheckRequest>) => {
  run(event.data).catch((error: unknown) => {
    report({ kind: "failed", reason: error instanceof Error ? error.message : String(error) });
  });
});
