import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeExtension } from "../../test/extension-package.ts";
import { parseManifest, type ExtensionManifest } from "../extensions/manifest.ts";
import { buildDeployment, type BuiltDeployment } from "./build-deployment.ts";
import type { ChosenPackage } from "./channel-sources.ts";

let work: string;
let folder: string;
beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), "factotum-deployment-"));
  folder = join(work, "new", "out");
  const chunks = {
    "factotum.mjs": { imports: ["base.mjs"], dynamicImports: ["crow.mjs", "owl.mjs", "worker.mjs"] },
    "base.mjs": { imports: ["node:fs"], dynamicImports: [] },
    "crow.mjs": { imports: ["birds.mjs", "crow-sdk.mjs"], dynamicImports: [] },
    "owl.mjs": { imports: ["birds.mjs", "owl-sdk.mjs"], dynamicImports: [] },
    "crow-sdk.mjs": { imports: [], dynamicImports: [] },
    "owl-sdk.mjs": { imports: [], dynamicImports: ["owl.mjs"] },
    "birds.mjs": { imports: [], dynamicImports: [] },
    "worker.mjs": { imports: [], dynamicImports: [] },
  };
  const graph = { entries: ["factotum.mjs"], extensions: { crow: "crow.mjs", owl: "owl.mjs" }, chunks };
  await write("product", {
    "package.json": JSON.stringify({ name: "factotum", version: "1.2.3", bin: {}, devDependencies: { left: "workspace:*" } }),
    LICENSE: "MIT",
    "dist/chunks.json": JSON.stringify(graph),
    "dist/docs/owl.md": "Owls",
    "dist/playwright-core/index.mjs": "",
    "dist/extensions/crow.json": "{}",
    "dist/extensions/owl.json": "{}",
    ...Object.fromEntries(Object.keys(chunks).map((name) => [`dist/${name}`, ""])),
  });
});
afterEach(async () => rm(work, { recursive: true, force: true }));

async function write(into: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(work, into, name)), { recursive: true });
    await writeFile(join(work, into, name), text);
  }
}

async function build(builtIn: readonly string[], packages: readonly ChosenPackage[] = [], hasBrowser = false): Promise<BuiltDeployment> {
  const chosen = { builtIn, packages, names: ["crow", "owl", "pigeon"] };
  return buildDeployment({ folder, product: join(work, "product"), chosen, hasBrowser });
}

async function packageIn(at: string): Promise<ChosenPackage> {
  const reading = parseManifest(JSON.parse(await readFile(join(work, at, "package.json"), "utf8")));
  const manifest: ExtensionManifest = reading.type === "manifest" ? reading.manifest : expect.fail(JSON.stringify(reading));
  return { name: manifest.name, folder: join(work, at), manifest };
}

/** A pigeon in a project, with these dependencies. */
async function pigeonWith(dependencies: Readonly<Record<string, string>>): Promise<ChosenPackage> {
  const at = "project/node_modules/pigeon-post";
  await writeExtension(join(work, at));
  const file = join(work, at, "package.json");
  await writeFile(file, JSON.stringify({ ...(JSON.parse(await readFile(file, "utf8")) as object), dependencies }));
  return packageIn(at);
}

/** All files below a folder, without those that a prefix excludes. */
async function filesIn(below = ""): Promise<readonly string[]> {
  const entries = await readdir(join(folder, below), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(folder, below).length + 1))
    .toSorted();
}

test("contains the chosen extension with what it shares with others, and nothing of the others", async () => {
  expect(await build(["crow"])).toMatchObject({ channels: ["crow"] });
  expect(await filesIn("node_modules/factotum")).toEqual([
    "LICENSE",
    "dist/base.mjs",
    "dist/birds.mjs",
    "dist/chunks.json",
    "dist/crow-sdk.mjs",
    "dist/crow.mjs",
    "dist/docs/owl.md",
    "dist/extensions/crow.json",
    "dist/factotum.mjs",
    "dist/worker.mjs",
    "package.json",
  ]);
  const manifest: unknown = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  expect(manifest).toMatchObject({
    dependencies: { factotum: "1.2.3" },
    factotum: { extensions: [], build: { channels: ["crow"], others: ["owl", "pigeon"] } },
  });
  expect(await readFile(join(folder, "node_modules/factotum/package.json"), "utf8")).not.toContain("workspace");
});

test("contains the library of the browser only if it is asked for", async () => {
  const library = "node_modules/factotum/dist/playwright-core";
  await build(["crow"], [], true);
  expect(await filesIn(library)).toEqual(["index.mjs"]);
  await build(["crow"]);
  await expect(filesIn(library)).rejects.toMatchObject({ code: "ENOENT" });
});

test("copies a package with its dependencies as Node resolves them, each version once", async () => {
  const pigeon = await pigeonWith({ grain: "^1.0.0", nest: "^1.0.0" });
  const manifest = (name: string, version: string, more: object = {}): string => JSON.stringify({ name, version, ...more });
  await write("project/node_modules", {
    "grain/package.json": manifest("grain", "1.0.0"),
    "grain/index.js": "",
    "grain/index.d.ts": "",
    "grain/index.js.map": "",
    "grain/node_modules/not-listed/package.json": manifest("not-listed", "1.0.0"),
    "nest/package.json": manifest("nest", "1.0.0", {
      dependencies: { grain: "^2.0.0", "@types/straw": "1.0.0" },
      optionalDependencies: { moss: "1.0.0" },
    }),
    "nest/node_modules/grain/package.json": manifest("grain", "2.0.0", { dependencies: { nest: "1.0.0" } }),
    "stray/package.json": manifest("stray", "1.0.0"),
  });
  await build([], [pigeon]);
  expect((await filesIn("node_modules")).filter((file) => !/^(?:factotum|\.bin)\//.test(file))).toEqual([
    "grain/index.js",
    "grain/package.json",
    "nest/node_modules/grain/package.json",
    "nest/package.json",
    "pigeon-post/dist/config.schema.json",
    "pigeon-post/dist/index.mjs",
    "pigeon-post/package.json",
  ]);
  expect(await readFile(join(folder, "package.json"), "utf8")).toContain('"pigeon-post": "1.0.0"');
});

test("of a linked folder of sources only the listed files are copied", async () => {
  await writeExtension(join(work, "pigeon"));
  await write("pigeon", { "secrets.txt": "", "src/index.mjs": "", "LICENSE.md": "", "node_modules/tool/package.json": "{}" });
  await mkdir(join(work, "project/node_modules"), { recursive: true });
  await symlink(join(work, "pigeon"), join(work, "project/node_modules/pigeon-post"));
  await build([], [await packageIn("project/node_modules/pigeon-post")]);
  const files = await filesIn("node_modules/pigeon-post");
  expect(files).toEqual(["LICENSE.md", "dist/config.schema.json", "dist/index.mjs", "package.json"]);
});

test("building again replaces what was written, and keeps other files", async () => {
  await build(["crow"]);
  await writeFile(join(folder, "compose.override.yaml"), "mine");
  await writeFile(join(folder, "Dockerfile"), "changed");
  await build(["owl"]);
  const files = await filesIn();
  expect(files).toContain("node_modules/factotum/dist/owl.mjs");
  expect(files).not.toContain("node_modules/factotum/dist/crow.mjs");
  expect(files.filter((file) => !file.startsWith("node_modules/"))).toEqual([
    ".dockerignore",
    "Dockerfile",
    "compose.override.yaml",
    "compose.yaml",
    "package.json",
  ]);
  expect(await readFile(join(folder, "Dockerfile"), "utf8")).toContain("FROM ");
});

test("a failure leaves a new folder away, and an earlier deployment as it was", async () => {
  const faulty = await pigeonWith({ "not-there": "1.0.0" });
  const failed = expect.objectContaining({ message: expect.stringContaining("needs the package not-there") as string }) as Error;
  await expect(build(["crow"], [faulty])).rejects.toEqual(failed);
  expect(await readdir(work)).not.toContain("new");
  await build(["crow"]);
  const before = await filesIn();
  await expect(build(["owl"], [faulty])).rejects.toEqual(failed);
  expect(await filesIn()).toEqual(before);
});

test("a folder with other content is refused, and stays; one with an interrupted build is used", async () => {
  await write("new/out", { "notes.txt": "mine", "package.json": JSON.stringify({ name: "mine", factotum: { extensions: [] } }) });
  await expect(build(["crow"])).rejects.toThrow("is not empty, and was not written by factotum build");
  expect(await filesIn()).toEqual(["notes.txt", "package.json"]);
  await rm(folder, { recursive: true });
  await write("new/out", { ".factotum-build-1/package.json": "{}", "node_modules/left/package.json": "{}" });
  await build(["crow"]);
  expect(await readdir(folder)).toEqual([".dockerignore", "Dockerfile", "compose.yaml", "node_modules", "package.json"]);
});

test("a file in place of the folder is refused", async () => {
  await write("new", { out: "" });
  await expect(build(["crow"])).rejects.toThrow("it is a file");
});

test("a product that is not built is refused", async () => {
  await rm(join(work, "product/dist"), { recursive: true });
  await expect(build(["crow"])).rejects.toThrow("is not a complete build of factotum");
});
