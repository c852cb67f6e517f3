import { readdir, realpath } from "node:fs/promises";
import path from "node:path";

/** Where a name in a folder leads: its place in the real folder, and what a link there leads to. */
export async function realPlaces(folder: string, name: string): Promise<readonly string[]> {
  const place = path.join((await realPathIfThere(folder)) ?? folder, name);
  const real = await realPathIfThere(place);
  return real === undefined || real === place ? [place] : [place, real];
}

/** The links below a folder: their names from there on, and what they lead to. Links in folders that are links are not looked for. */
export async function linksBelow(folder: string): Promise<readonly { readonly name: string; readonly real: string }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const links = entries
    .filter((entry) => entry.isSymbolicLink())
    .map(async ({ parentPath, name }) => {
      const link = path.join(parentPath, name);
      const real = await realPathIfThere(link);
      return real === undefined ? [] : [{ name: path.relative(folder, link), real }];
    });
  return (await Promise.all(links)).flat();
}

/** A path for comparing: some file systems ignore case. */
export function foldPath(file: string): string {
  return file.normalize("NFC").toUpperCase().toLowerCase();
}

async function realPathIfThere(file: string): Promise<string | undefined> {
  return realpath(file).catch(() => undefined);
}
