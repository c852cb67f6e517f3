import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Rolldown } from "tsdown";

interface Schema {
  toJSONSchema(options: { readonly io: "input"; readonly unrepresentable: "any" }): object;
}

/** The JSON Schema of an extension's accounts, from the zod schema in its `src/config.ts`. That module imports nothing of the workspace. */
export async function readConfigSchema(folder: string): Promise<object> {
  const file = join(folder, "src/config.ts");
  const exported = (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;
  const [schema] = Object.entries(exported).flatMap(([name, value]) => (name.endsWith("ConfigSchema") ? [value as Schema] : []));
  if (schema === undefined) throw new Error(`${file} exports no <Platform>ConfigSchema.`);
  return schema.toJSONSchema({ io: "input", unrepresentable: "any" });
}

/** Writes `dist/config.schema.json` of the extension that is built. */
export function configSchemaFile(): Rolldown.Plugin {
  return {
    name: "factotum:config-schema",
    async generateBundle() {
      const source = `${JSON.stringify(await readConfigSchema(process.cwd()), null, 2)}\n`;
      this.emitFile({ type: "asset", fileName: "config.schema.json", source });
    },
  };
}
