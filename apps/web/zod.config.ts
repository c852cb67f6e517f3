import { readFile } from "node:fs/promises";
import type { Plugin } from "vite";

/** Modules of zod that each of its types refers to, and that the page never calls: they make JSON schemas. */
const UNUSED: readonly RegExp[] = [
  /[/\\]zod[/\\]v4[/\\]core[/\\]to-json-schema\.js$/,
  /[/\\]zod[/\\]v4[/\\]core[/\\]json-schema-processors\.js$/,
];
/** The English texts of its issues. The page shows none of them, and zod has one text for all of them without. */
const TEXTS = /[/\\]zod[/\\]v4[/\\]locales[/\\]en\.js$/;

/** Leaves out what the page never uses of zod: a function that throws takes the place of each export. Fails where a version of zod has no such modules. */
export function trimZod(): Plugin {
  const patterns = [...UNUSED, TEXTS];
  const missing = new Set(patterns);
  return {
    name: "trim-zod",
    apply: "build",
    load: async (id) => {
      const found = patterns.find((pattern) => pattern.test(id));
      if (found === undefined) return undefined;
      missing.delete(found);
      if (found === TEXTS) return "export default () => ({});";
      const names = [...(await readFile(id, "utf8")).matchAll(/^export (?:const|function) (\w+)/gm)].map(([, name = ""]) => name);
      return [
        'function leftOut() { throw new Error("The page makes no JSON schemas: see zod.config.ts."); }',
        `export { ${names.map((name) => `leftOut as ${name}`).join(", ")} };`,
      ].join("\n");
    },
    buildEnd: (error) => {
      if (error === undefined && missing.size > 0)
        throw new Error(`zod has no module ${[...missing].map(String).join(", ")}: see zod.config.ts.`);
    },
  };
}
