import { realpath } from "node:fs/promises";
import path from "node:path";

/** Where a name in a folder leads: its place in the real folder, and what a link there leads to. */
export async function realPlaces(folder: string, name: string): Promise<readonly string[]> {
  const place = path.join((await realPathIfThere(folder)) ?? folder, name);
  const real = await realPathIfThere(place);
  return real === undefined || real === place ? [place] : [place, real];
}

/** A path for comparing: some file systems ignore case. */
export function foldPath(file: string): string {
  return file.normalize("NFC").toUpperCase().toLowerCase();
}

async function realPathIfThere(file: string): Promise<string | undefined> {
  return realpath(file).catch(() => undefined);
}
