import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const EXTENSIONS = fileURLToPath(new URL("../../../extensions", import.meta.url));

/** Puts extensions of this repository into a state directory, as `factotum plugins add` leaves them, without npm. They have to be built. */
export async function installExtension(home: string, ...names: readonly string[]): Promise<void> {
  const project = path.join(home, "extensions", "project-1");
  const scope = path.join(project, "node_modules", "@factotum");
  await mkdir(scope, { recursive: true });
  for (const name of names) await symlink(path.join(EXTENSIONS, name), path.join(scope, name));
  const extensions = names.map((name) => `@factotum/${name}`);
  await writeFile(path.join(project, "package.json"), JSON.stringify({ private: true, factotum: { extensions } }));
  await writeFile(path.join(home, "extensions", "current"), "project-1\n");
}
