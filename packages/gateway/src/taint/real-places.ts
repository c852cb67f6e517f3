import { readdir, readlink, realpath } from "node:fs/promises";
import path from "node:path";

/** Maximum chain of links: the limit of Linux. */
const MAX_HOPS = 40;

/** A link, by its path from the scanned folder, and its target. */
interface Link {
  readonly name: string;
  readonly real: string;
}

/** The locations of a name in a folder: in the real folder, and the target of a link there, whether or not it exists. */
export async function realPlaces(folder: string, name: string): Promise<readonly string[]> {
  const place = path.join((await destinationOf(folder)) ?? folder, name);
  const real = await destinationOf(place);
  return real === undefined || real === place ? [place] : [place, real];
}

/** The links below a folder and below the folders that they lead to. */
export async function linksBelow(folder: string, seen: ReadonlySet<string> = new Set()): Promise<readonly Link[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const known = new Set([...seen, folder]);
  const links = entries
    .filter((entry) => entry.isSymbolicLink())
    .map(async ({ parentPath, name }): Promise<readonly Link[]> => {
      const link = path.join(parentPath, name);
      const real = await destinationOf(link);
      if (real === undefined) return [];
      const here = { name: path.relative(folder, link), real };
      const below = known.has(real) ? [] : await linksBelow(real, known);
      return [here, ...below.map((inner) => ({ name: path.join(here.name, inner.name), real: inner.real }))];
    });
  return (await Promise.all(links)).flat();
}

/** A path for comparison: some file systems ignore case. */
export function foldPath(file: string): string {
  return file.normalize("NFC").toUpperCase().toLowerCase();
}

/** The target of a path with all links followed, even if nothing exists there yet: a later write goes through the link. */
async function destinationOf(file: string, hops = 0): Promise<string | undefined> {
  const real = await realpath(file).catch(() => undefined);
  const folder = path.dirname(file);
  if (real !== undefined || hops > MAX_HOPS || folder === file) return real;
  const parent = await destinationOf(folder, hops + 1);
  if (parent === undefined) return undefined;
  const place = path.join(parent, path.basename(file));
  const target = await readlink(place).catch(() => undefined);
  return target === undefined ? place : destinationOf(path.resolve(parent, target), hops + 1);
}
