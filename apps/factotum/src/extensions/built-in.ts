import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonSchema } from "@factotum/agent-contract";
import { accountJsonSchema } from "@factotum/config";
import type * as z from "zod";
import { assetPath, IS_BUILT } from "../runtime/assets.ts";
import type { ExtensionManifest } from "./manifest.ts";

interface BuiltInFile {
  readonly configSchema: JsonSchema;
}

/** Where the build keeps the manifest and the JSON Schema of a built-in extension; from the sources, its package.json. */
function pathOf(id: string): string {
  return join(assetPath("extensions"), IS_BUILT ? `${id}.json` : join(id, "package.json"));
}

/** True if this command contains the extension: one that `factotum build` has written has only the chosen ones. */
export function isBuiltIn(id: string): boolean {
  return existsSync(pathOf(id));
}

/** The manifest of a built-in extension, without loading it. */
export async function readBuiltInManifest(id: string): Promise<ExtensionManifest> {
  const { parseManifest } = await import("./manifest.ts");
  const reading = parseManifest(JSON.parse(await readFile(pathOf(id), "utf8")));
  if (reading.type !== "manifest") throw new Error(`The built-in extension ${id} has no valid manifest.`);
  return reading.manifest;
}

/** The JSON Schema of a built-in channel's accounts: the build's file, or from the sources. */
export async function readBuiltInSchema(id: string, loadSource: () => Promise<z.ZodType>): Promise<JsonSchema> {
  if (!IS_BUILT) return accountJsonSchema(await loadSource());
  return (JSON.parse(await readFile(pathOf(id), "utf8")) as BuiltInFile).configSchema;
}
