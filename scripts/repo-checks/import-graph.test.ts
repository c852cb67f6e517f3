import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { arrowsOf, FOLDER_LAYERS, testArrowsOf } from "../layers.ts";
import { findCycles, moduleGraph, readModules, type SourceModule } from "../source/module-graph.ts";
import { ROOT, workspaceFolders } from "../workspace.ts";

const modules = readModules();
const graph = moduleGraph(modules);

test("the graph is not empty", () => {
  expect(modules.length).toBeGreaterThan(400);
  expect([...graph.values()].flat().length).toBeGreaterThan(1_200);
  const gateway = modules.filter(({ folder }) => folder === "packages/gateway").flatMap(({ imports }) => imports);
  expect(gateway).toEqual(expect.arrayContaining(["@factotum/agent-contract", "@factotum/store"]));
});

test("no module imports itself through others, not even for a type", () => {
  expect(findCycles(graph)).toEqual([]);
});

test("a cycle is found, alone or among others, and a diamond is not one", () => {
  const graphOf = (edges: Record<string, string[]>) => new Map(Object.entries(edges));
  expect(findCycles(graphOf({ a: ["b", "c"], b: ["d"], c: ["d"], d: [] }))).toEqual([]);
  expect(findCycles(graphOf({ a: ["a"] }))).toEqual([["a"]]);
  expect(findCycles(graphOf({ a: ["b"], b: ["c"], c: ["a", "d"], d: ["e"], e: ["d"], f: ["a"] }))).toEqual([
    ["a", "b", "c"],
    ["d", "e"],
  ]);
});

test("type imports, re-exports and lazy imports are edges", () => {
  const module = (file: string, imports: string[]) => ({ file, imports });
  const parsed = moduleGraph([
    module("packages/a/src/index.ts", ["./b.ts", "zod", "./style.css"]),
    module("packages/a/src/b.ts", ["@factotum/c"]),
    module("packages/c/src/index.ts", []),
  ]);
  expect(Object.fromEntries(parsed)).toEqual({
    "packages/a/src/index.ts": ["packages/a/src/b.ts"],
    "packages/a/src/b.ts": ["packages/c/src/index.ts"],
    "packages/c/src/index.ts": [],
  });
});

describe.each(Object.entries(FOLDER_LAYERS))("the folders of %s", (folder, layers) => {
  const own = modules.filter((module) => module.folder === folder && !module.isTest && module.file.startsWith(`${folder}/src/`));

  test("are all in the table", () => {
    const found = new Set(own.flatMap(({ file }) => folderIn(folder, file) ?? []));
    expect([...found].sort()).toEqual([...layers].sort());
  });

  test("import only from below, values and types", () => {
    expect(arrowsUp(own, { folder, layers })).toEqual([]);
  });

  test("a planted arrow up is found, for a value or a type, and one to the entry", () => {
    const [lowest = "", highest = ""] = [layers[0], layers.at(-1)];
    const above: PlacedModule = { file: `${folder}/src/${highest}/above.ts`, imports: [`../${lowest}/below.ts`] };
    const below: PlacedModule = { file: `${folder}/src/${lowest}/below.ts`, imports: [`../${highest}/above.ts`, "../index.ts"] };
    const entry: PlacedModule = { file: `${folder}/src/index.ts`, imports: [`./${highest}/above.ts`] };
    expect(arrowsUp([above, below, entry], { folder, layers })).toEqual([
      `${below.file} imports ${above.file}`,
      `${below.file} imports ${entry.file}`,
    ]);
  });
});

describe.each(workspaceFolders())("%s", (folder) => {
  const own = modules.filter((module) => module.folder === folder);
  const manifest = JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8")) as Manifest;

  test("imports other packages along the arrows, by their names alone", () => {
    const allowed = (isTest: boolean): string[] =>
      [...arrowsOf(folder), ...(isTest ? testArrowsOf(folder) : [])].map((name) => `@factotum/${name}`);
    const wrong = own.flatMap(({ file, imports, isTest }) =>
      imports
        .filter((specifier) => /^(@factotum\/|factotum$)/.test(specifier) && !allowed(isTest).includes(specifier))
        .map((specifier) => `${file} imports ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });

  test("stays inside its folder", () => {
    const leaves = (file: string, specifier: string): boolean =>
      specifier.startsWith(".") && !join(dirname(file), specifier).startsWith(`${folder}/`) && !isRootConfig(file, specifier);
    const wrong = own.flatMap(({ file, imports }) =>
      imports.filter((specifier) => leaves(file, specifier)).map((specifier) => `${file} imports ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });

  test("needs nothing at run time that its manifest leaves to development", () => {
    // An app is bundled: its runtime dependencies are dependencies of its build.
    if (folder.startsWith("apps/")) return;
    // A package with only types is imported by the name that it declares: `@types/mdast` is mdast.
    const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.optionalDependencies }).map((name) =>
      name.replace(/^@types\//, ""),
    );
    // What is installed by "plugins add" bundles what it imports of the workspace.
    const isBundled = (specifier: string): boolean => /^(?:extensions|plugins)\//.test(folder) && specifier.startsWith("@factotum/");
    const wrong = own
      .filter(({ isTest, file }) => !isTest && file.startsWith(`${folder}/src/`))
      .flatMap(({ file, imports }) =>
        imports
          .filter((specifier) => !/^(\.|node:)/.test(specifier) && !isBundled(specifier) && !declared.includes(packageOf(specifier)))
          .map((specifier) => `${file} imports ${specifier}`),
      );
    expect(wrong).toEqual([]);
  });
});

type PlacedModule = Pick<SourceModule, "file" | "imports">;

/** The folder below a package's sources that a module lies in; `undefined` for one outside the folders. */
function folderIn(folder: string, file: string): string | undefined {
  const [name, ...rest] = file.slice(`${folder}/src/`.length).split("/");
  return rest.length === 0 ? undefined : name;
}

/** Imports from a folder to one that is not below it, or to a module outside the folders. */
function arrowsUp(
  placed: readonly PlacedModule[],
  { folder, layers }: { readonly folder: string; readonly layers: readonly string[] },
): string[] {
  const heightOf = (file: string): number => {
    const name = folderIn(folder, file);
    return name === undefined ? layers.length : layers.indexOf(name);
  };
  return [...moduleGraph(placed)].flatMap(([file, targets]) =>
    targets
      .filter((target) => heightOf(target) > heightOf(file) && target.startsWith(`${folder}/src/`))
      .map((target) => `${file} imports ${target}`),
  );
}

interface Manifest {
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/** The build files of packages share the root's settings. */
function isRootConfig(file: string, specifier: string): boolean {
  return (
    file.endsWith(".config.ts") &&
    [
      "../../tsdown.base.ts",
      "../../scripts/build/commonjs-builds.ts",
      "../../scripts/build/config-reference.ts",
      "../../scripts/build/browser-library.ts",
      "../../scripts/build/built-in-extensions.ts",
      "../../scripts/build/chunk-graph.ts",
      "../../scripts/build/channel-template.ts",
      "../../scripts/build/third-party-notices.ts",
    ].includes(specifier)
  );
}

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
