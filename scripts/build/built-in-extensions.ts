import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Rolldown } from "tsdown";
import { ROOT } from "../workspace.ts";
import { readConfigSchema } from "./config-schema.ts";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly factotum?: { readonly provides: readonly { readonly id: string }[] };
}

/** Writes `extensions/<id>.json` with the manifest and the JSON Schema of every extension that the product bundles: the command reads both without loading it. */
export function builtInExtensions(): Rolldown.Plugin {
  return {
    name: "factotum:built-in-extensions",
    async generateBundle() {
      const product = JSON.parse(readFileSync("package.json", "utf8")) as { readonly devDependencies: Readonly<Record<string, string>> };
      for (const folder of readdirSync(join(ROOT, "extensions"))) {
        const path = join(ROOT, "extensions", folder);
        const { name, version, factotum } = JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as Manifest;
        if (!Object.hasOwn(product.devDependencies, name)) continue;
        const source = JSON.stringify({ name, version, factotum, configSchema: await readConfigSchema(path) });
        this.emitFile({ type: "asset", fileName: `extensions/${folder}.json`, source });
      }
    },
  };
}
