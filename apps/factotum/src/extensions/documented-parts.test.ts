import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { HOOKS, type HookName } from "@factotum/plugin";
import { expect, test } from "vitest";
import { PROVIDED_TYPES } from "./provided-types.ts";

const DOCS = join(import.meta.dirname, "../../../../docs");
const read = async (name: string): Promise<string> => readFile(join(DOCS, name), "utf8");
const KINDS = { observe: "observes", transform: "transforms", decide: "decides" };

test("the table of docs/plugins.md has every hook, with its kind", async () => {
  const rows = (await read("plugins.md"))
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .flatMap((line): readonly (readonly [string, string])[] => {
      const [, names = "", kind = ""] = line.split("|").map((cell) => cell.trim());
      return [...names.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, name = ""]) => [name, kind] as const);
    });
  const names = Object.keys(HOOKS) as HookName[];
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(names.map((name) => [name, KINDS[HOOKS[name].kind]])));
});

test("the documents show an entry of every type in a manifest", async () => {
  const documents = await Promise.all(["plugins.md", "extensions.md", "write-a-channel.md"].map(read));
  const shown = new Set(documents.flatMap((text) => [...text.matchAll(/"type": "([a-z]+)"/g)].map(([, type]) => type)));
  expect(Object.keys(PROVIDED_TYPES).filter((type) => !shown.has(type))).toEqual([]);
});
