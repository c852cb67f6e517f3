import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Writes the reference of all configuration keys beside the bundled documentation: what the product just built says of its own schema. */
export async function writeConfigReference(): Promise<void> {
  const dist = new URL("../../apps/factotum/dist/", import.meta.url);
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(new URL("factotum.mjs", dist)), "config", "reference"]);
  await writeFile(new URL("docs/configuration.md", dist), stdout);
}
