import { resolve } from "node:path";
import type { RunFiles } from "../file-access/create-file-access.ts";

/**
 * The words of a command, without that of its program, that name a file of the gateway itself, or a folder around one. A word may hold a path behind an option
 * or a name: `-o/path`, `--output=path`, `host:/path`. In such a folder all words count: many programs search the folder in which they run.
 */
export async function reservedWords(
  [, ...words]: readonly string[],
  { cwd, files }: { readonly cwd: string; readonly files: Pick<RunFiles, "isReserved"> },
): Promise<readonly string[]> {
  if (await files.isReserved(cwd)) return words;
  const found: string[] = [];
  for (const word of words) {
    for (const path of pathsIn(word)) {
      if (!(await files.isReserved(resolve(cwd, path)))) continue;
      found.push(word);
      break;
    }
  }
  return found;
}

/** What may be a path in a word: the word, its parts, and what begins like a path inside of it. */
function pathsIn(word: string): ReadonlySet<string> {
  const parts = [word, ...word.split(/[=:,]/)];
  const inner = parts.flatMap((part) => ["/", ".."].flatMap((start) => (part.includes(start) ? [part.slice(part.indexOf(start))] : [])));
  return new Set([...parts, ...inner].filter((part) => part !== "" && !part.includes("\0")));
}
