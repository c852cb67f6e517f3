import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const EXTENSIONS = fileURLToPath(new URL("../../../extensions", import.meta.url));

/** Puts an extension of this repository into a state directory, as `factotum plugins add` leaves it, without npm. It has to be built. */
export async function installExtension(home: string, name: string): Promise<void> {
  const project = path.join(home, "extensions", "project-1");
  const scope = path.join(project, "node_modules", "@factotum");
  await mkdir(scope, { recursive: true });
  await symlink(path.join(EXTENSIONS, name), path.join(scope, name));
  await writeFile(path.join(project, "package.json"), JSON.stringify({ private: true, factotum: { extensions: [`@factotum/${name}`] } }));
  await writeFile(path.join(home, "extensions", "current"), "project-1\n");
}
