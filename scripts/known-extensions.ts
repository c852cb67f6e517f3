// pnpm known-extensions [folder]
// Packs every published extension into the folder, `packed` if absent, and writes the list by which a release installs exactly these tarballs.

import { writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { knownExtensions, packExtensions, publishedExtensions } from "./release/pack-extensions.ts";
import { ROOT } from "./workspace.ts";

const LIST = join(ROOT, "apps/factotum/src/extensions/known-extensions.json");

const [folder = join(ROOT, "packed"), ...rest] = process.argv.slice(2);
if (rest.length > 0) {
  console.error("Usage: pnpm known-extensions [folder]");
  process.exitCode = 2;
} else {
  const packed = await packExtensions(await publishedExtensions(), resolve(folder));
  await writeFile(LIST, `${JSON.stringify(knownExtensions(packed), null, 2)}\n`);
  for (const { tarball } of packed) console.log(tarball);
  console.log(`${relative(process.cwd(), LIST)} lists ${packed.length} packages. Publish these tarballs, then build and publish factotum.`);
}
