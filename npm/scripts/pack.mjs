// Packs what is published into ../dist: the package `tepal`, and for each addon in native/ the package of its platform, which `tepal` names
// as optional. Platform packages are made here and never committed; what was not built is not named.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const stage = join(root, "build/pack");
const out = join(root, "../dist");
const { scripts: _scripts, devDependencies: _tools, ...manifest } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
rmSync(stage, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

function pack(folder, contents, files) {
  const to = join(stage, folder);
  mkdirSync(to, { recursive: true });
  const all = { ...contents, files: [...contents.files, "LICENSE-*"] };
  writeFileSync(join(to, "package.json"), `${JSON.stringify(all, null, 2)}\n`);
  for (const [from, name] of files) if (existsSync(from)) cpSync(from, join(to, name), { recursive: true });
  for (const name of ["LICENSE-MIT", "LICENSE-APACHE"]) cpSync(join(root, "..", name), join(to, name));
  execFileSync("npm", ["pack", "--silent", "--pack-destination", out], { cwd: to, stdio: ["ignore", "inherit", "inherit"] });
}

const { version, license, engines } = manifest;
const optionalDependencies = {};
const native = join(root, "native");
for (const file of existsSync(native) ? readdirSync(native) : []) {
  const [, platform] = /^tepal\.(.+)\.node$/.exec(file) ?? [];
  if (platform === undefined) continue;
  const [os, cpu, abi] = platform.split("-");
  const name = `@tepal/${platform}`;
  optionalDependencies[name] = version;
  const libc = abi === "gnu" ? { libc: ["glibc"] } : abi === "musl" ? { libc: ["musl"] } : {};
  const description = `The native addon of tepal for ${platform}`;
  pack(platform, { name, version, description, license, engines, os: [os], cpu: [cpu], ...libc, main: file, files: [file] }, [[join(native, file), file]]);
}
pack("tepal", { ...manifest, optionalDependencies }, [
  [join(root, "dist"), "dist"],
  [join(root, "README.md"), "README.md"],
]);
