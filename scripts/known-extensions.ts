// pnpm known-extensions [--list FILE] [folder [package ...]]
// Packs the published extensions and plugins (`extensions/irc`, …) into the folder, `packed` if absent, and writes the list by which a release installs exactly these tarballs.

import { writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { knownExtensions, packExtensions, publishedExtensions } from "./release/pack-extensions.ts";
import { ROOT } from "./workspace.ts";

const LIST = join(ROOT, "apps/factotum/src/extensions/known-extensions.json");

const { positionals, values } = parseArgs({ allowPositionals: true, options: { list: { type: "string", default: LIST } } });
const [folder = join(ROOT, "packed"), ...chosen] = positionals;
const packed = await packExtensions(chosen.length > 0 ? chosen : await publishedExtensions(), resolve(folder));
await writeFile(values.list, `${JSON.stringify(knownExtensions(packed), null, 2)}\n`);
for (const { tarball } of packed) console.log(tarball);
console.log(
  `${relative(process.cwd(), values.list)} lists ${packed.length} packages. Publish these tarballs, then build and publish factotum.`,
);
