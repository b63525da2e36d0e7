// Fuzzes JavaScript's reader: node test/fuzz_reader.mjs [SECONDS] [SEED]. Golden vectors, broken ones included, are cut, flipped
// and spliced; addon and wasm must say the same of every input: the same error code, or a filter that gives the bytes back. What
// is refused must not cost memory. TEPAL_PACKAGE is a folder in whose node_modules the package is installed (default: the checkout).
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.env.TEPAL_PACKAGE;
const from = folder
	? createRequire(pathToFileURL(`${folder}/`))
	: createRequire(import.meta.url);
const seconds = Number(process.argv[2] ?? 10);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 32);

if (process.env.TEPAL_BACKEND !== "native") {
	// "native" puts every filter into the addon; wasm has an entry of its own.
	const env = { ...process.env, TEPAL_BACKEND: "native" };
	process.exit(
		spawnSync(
			process.execPath,
			[import.meta.filename, `${seconds}`, `${seed}`],
			{ env, stdio: "inherit" },
		).status ?? 1,
	);
}

const backends = [from("tepal"), from("tepal/schemes")];
assert.deepEqual(
	backends.map((b) => b.backend),
	["native", "wasm"],
);

// mulberry32: the seed in the report repeats the run.
let state = seed;
function random(below) {
	state = (state + 0x6d2b79f5) | 0;
	let t = Math.imul(state ^ (state >>> 15), 1 | state);
	t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
	return ((t ^ (t >>> 14)) >>> 0) % below;
}

const vectors = ["v1", "v1/malformed", "v1-scalable", "v1-scalable/malformed"].map(
	(name) => join(import.meta.dirname, "../../tests/vectors", name),
);
const corpus = vectors
	.flatMap((at) =>
		readdirSync(at)
			.filter((name) => name.endsWith(".tepal"))
			.map((name) => readFileSync(join(at, name))),
	)
	.filter((bytes) => bytes.length < 20_000);
const any = () => corpus[random(corpus.length)];
const edges = [0, 1, 0x7f, 0x80, 0xff];

function mutate() {
	let bytes = Uint8Array.from(any());
	for (let n = random(4); n >= 0; n--) {
		// Headers are where the checks are: half of the changes go there.
		const at = random(
			random(2) ? Math.min(bytes.length, 192) || 1 : bytes.length || 1,
		);
		switch (random(5)) {
			case 0:
				if (bytes.length)
					bytes[at] = random(2)
						? edges[random(edges.length)]
						: bytes[at] ^ (1 << random(8));
				break;
			case 1:
				bytes = bytes.slice(0, at);
				break;
			case 2:
				bytes.set(
					any().subarray(
						0,
						Math.min(1 + random(64), bytes.length - at, bytes.length),
					),
					Math.min(at, bytes.length),
				);
				break;
			case 3:
				bytes = Uint8Array.from([...bytes, ...any().subarray(0, random(200))]);
				break;
			default:
				if (at + 8 <= bytes.length)
					new DataView(bytes.buffer).setBigUint64(
						at,
						(1n << BigInt(random(64))) - BigInt(random(2)),
						true,
					);
		}
	}
	return bytes;
}

function outcome({ fromBytes }, bytes) {
	let filter;
	try {
		filter = fromBytes(bytes);
	} catch (error) {
		assert.match(error.code ?? `${error.stack}`, /^ERR_[A-Z_]+$/);
		assert.ok(error.message.length > 0);
		return error.code;
	}
	const facts = [
		filter.capacity,
		filter.fpr,
		filter.seed,
		filter.layout,
		filter.scheme,
		filter.filterCount,
		filter.fillRatio,
		filter.estimatedCount,
		filter.has("key"),
	];
	assert.deepEqual(filter.toBytes(), bytes);
	filter.free();
	return facts.join();
}

const end = performance.now() + seconds * 1000;
const before = process.memoryUsage().rss;
let runs = 0;
let filters = 0;
try {
	while (performance.now() < end) {
		const bytes = mutate();
		const [native, wasm] = backends.map((backend) => outcome(backend, bytes));
		assert.equal(native, wasm);
		filters += native.startsWith("ERR_") ? 0 : 1;
		runs++;
	}
	assert.ok(
		process.memoryUsage().rss - before < 256 * 2 ** 20,
		"memory grew by more than 256 MiB",
	);
} catch (error) {
	console.error(`run ${runs} of seed ${seed}`);
	throw error;
}
console.log(
	`Done ${runs} runs in ${seconds} second(s), ${filters} of them filters, seed ${seed}`,
);
