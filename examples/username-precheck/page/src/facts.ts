/**
 * What the page knows about itself, as a table; and the names claimed since the snapshot.
 */
import { byId, make, say } from "./dom.js";
import type { Manifest, Names, Status } from "./names.js";
import { news, type Stats } from "./server.js";
import { ago, bytes, count, percent } from "./words.js";

let stats: Stats | undefined;

export function describeLede(manifest: Manifest, status: Status): void {
  byId("lede-facts").replaceChildren(
    make("b", {}, count(manifest.names)),
    " real user names came with this page, as ",
    make("b", {}, bytes(manifest.bytes).replace(" ", "\u00a0")),
    status === "ready" ? " of bits. Typing sends nothing." : " of bits. Here they cannot be asked, so the server is.",
  );
}

export function showFacts(names: Names): void {
  const { manifest } = names;
  if (!manifest) return;
  const rows: [string, string][] = [
    ["Names", count(manifest.names)],
    ["Filter", `${count(manifest.bytes)} bytes, ${((8 * manifest.bytes) / manifest.names).toFixed(1)} bits a name`],
    ["Snapshot", `${ago(Date.now() - Date.parse(manifest.builtAt))}, by Python in ${manifest.buildSeconds.toFixed(2)} s`],
    ["Promised rate", percent(manifest.promisedRate)],
    ["Estimated rate", `${percent(manifest.estimatedRate, 3)}, counted over every line`],
    ["Names made of", `${manifest.rule}, the rule that its metadata names`],
    ["Source", `npm ${manifest.source.package} ${manifest.source.version}`],
  ];
  if (manifest.notHandles) {
    rows.push(["Not handles", `${count(manifest.notHandles)} of the names, such as your_user; in the list, so in the filter`]);
  }
  if (stats) {
    rows.push(["The server", `asked ${count(stats.asked)} times; its own filter kept ${count(stats.keptFromDatabase)} from the database`]);
  }
  const { delta } = names;
  if (delta) {
    rows.splice(3, 0, [
      "Claimed since",
      `${count(delta.estimatedCount)}, in a second filter of ${count(delta.byteLength)} bytes, fetched ${ago(Date.now() - names.asOf)}`,
    ]);
  }
  byId("facts").replaceChildren(...rows.map(([term, fact]) => make("div", {}, make("dt", {}, term), make("dd", {}, fact))));
}

/** Lists the newest claims, and what the server did. Without a server the list stays as it was. */
export async function showClaims(names: Names): Promise<void> {
  const found = await news().catch(() => undefined);
  if (!found) return;
  stats = found.stats;
  showFacts(names);
  const items = found.claims.map(({ name, claimedAt }) =>
    make("li", {}, make("b", {}, name), ` ${ago(Date.now() - claimedAt)}`),
  );
  byId("claims").replaceChildren(...(items.length ? items : [make("li", {}, "none yet")]));
  const size = names.delta ? `${bytes(names.delta.byteLength)} ` : "";
  say(
    "delta-note",
    `They travel in a second, ${size}filter that the page fetches anew each minute, so the large one can stay in every cache. ` +
      "At its first start the demo claimed two names itself, so that there is something to see.",
  );
}
