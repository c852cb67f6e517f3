import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { ROOT } from "../workspace.ts";
import { parseModule, type ParsedModule } from "./parse-module.ts";
import { trackedFiles } from "./tracked-files.ts";

/** One module of the workspace. Paths are relative to the root, with forward slashes. */
export interface SourceModule extends ParsedModule {
  readonly file: string;
  /** Its package: `packages/store`, `extensions/feishu`, … */
  readonly folder: string;
  /** True for tests and code that only tests use. */
  readonly isTest: boolean;
}

const TEST = /(\.test(-d)?\.tsx?$)|(\/(test|e2e|contract)\/)/;

/** The parsed TypeScript modules of the workspace packages under `folders`, all by default. */
export function readModules(...folders: readonly string[]): SourceModule[] {
  return trackedFiles(...(folders.length === 0 ? ["packages", "extensions", "plugins", "apps"] : folders))
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => ({
      file,
      folder: file.split("/").slice(0, 2).join("/"),
      isTest: TEST.test(file),
      ...parseModule(file, readFileSync(join(ROOT, file), "utf8")),
    }));
}

/**
 * The modules of the workspace that each module imports, types and values alike. A package's name leads to its entry. A relative
 * specifier that leads to no module (a style sheet, an asset) is left out.
 */
export function moduleGraph(modules: readonly Pick<SourceModule, "file" | "imports">[]): Map<string, string[]> {
  const files = new Set(modules.map(({ file }) => file));
  const resolve = ({ file }: { file: string }, specifier: string): string | undefined => {
    const target = specifier.startsWith(".") ? join(dirname(file), specifier) : entryOf(specifier, files);
    return target !== undefined && files.has(normalize(target)) ? normalize(target) : undefined;
  };
  return new Map(modules.map((module) => [module.file, module.imports.flatMap((specifier) => resolve(module, specifier) ?? [])]));
}

function entryOf(specifier: string, files: ReadonlySet<string>): string | undefined {
  const name = /^@factotum\/([\w-]+)$/.exec(specifier)?.[1];
  return ["packages", "extensions", "plugins"].map((group) => `${group}/${name}/src/index.ts`).find((entry) => files.has(entry));
}

/** The cycles of a graph: strongly connected sets of more than one node, or of one with an edge to itself, sorted. */
export function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const cycles: string[][] = [];
  const visit = (node: string): number => {
    const index = order.size;
    order.set(node, index);
    open.push(node);
    isOpen.add(node);
    let low = index;
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (isOpen.has(next)) low = Math.min(low, order.get(next) ?? low);
    }
    if (low === index) {
      const members = open.splice(open.indexOf(node));
      for (const member of members) isOpen.delete(member);
      if (members.length > 1 || graph.get(node)?.includes(node) === true) cycles.push(members.sort());
    }
    return low;
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return cycles.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
}
