import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { LAYERS } from "../layers.ts";
import { readModules, type SourceModule } from "../source/module-graph.ts";
import { ROOT, workspaceFolders } from "../workspace.ts";

const modules = new Map(readModules("packages", "extensions", "plugins").map((module) => [module.file, module]));
const folders = workspaceFolders().filter((folder) => !folder.startsWith("apps/"));

test.each(folders)("%s has one entry point with explicit exports", (folder) => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8")) as { exports: object };
  expect(Object.keys(exports)).toEqual([".", "./package.json"]);
  const entry = modules.get(`${folder}/src/index.ts`);
  expect(entry, `${folder}/src/index.ts`).toBeDefined();
  expect(entry?.hasExportAll).toBe(false);
  expect(entry?.exports.length).toBeGreaterThan(0);
  expect(entry?.exports.map(({ name }) => name)).not.toContain("default");
});

test("nothing is exported by a star anywhere", () => {
  expect([...modules.values()].filter(({ hasExportAll }) => hasExportAll).map(({ file }) => file)).toEqual([]);
});

test("no file is a drawer for leftovers", () => {
  const drawers = [...modules.keys()].filter((file) => /\/(utils?|helpers?|common|misc|shared)\.tsx?$/.test(file));
  expect(drawers).toEqual([]);
});

describe.each(LAYERS.slice(0, 2).flatMap((packages) => Object.keys(packages)))("@factotum/%s", (name) => {
  const entry = modules.get(`packages/${name}/src/index.ts`);

  test("documents everything that it exports", () => {
    const undocumented = (entry?.exports ?? []).filter(({ localName, from }) => !isDocumented(entry, localName, from));
    expect(undocumented.map((one) => one.name)).toEqual([]);
  });

  test("is published, with a README", () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, "packages", name, "package.json"), "utf8")) as { private?: boolean };
    expect(manifest.private).not.toBe(true);
    expect(existsSync(join(ROOT, "packages", name, "README.md"))).toBe(true);
  });
});

/** Follows re-exports to the declaration; true if a doc comment precedes it. */
function isDocumented(module: SourceModule | undefined, name: string, from: string | undefined): boolean {
  if (module === undefined) return false;
  if (from === undefined) return module.declarations.get(name) === true;
  const target = modules.get(join(dirname(module.file), from));
  if (target === undefined) return false;
  if (target.declarations.has(name)) return target.declarations.get(name) === true;
  const again = target.exports.find((one) => one.name === name);
  return again !== undefined && isDocumented(target, again.localName, again.from);
}
