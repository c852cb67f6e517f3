import { inBatches, isReadable, type LeftOut, type ListedNotes } from "./note-files.ts";

/** More are counted. */
const MAX_NAMED = 20;

const WORDS: Readonly<Record<LeftOut["reason"], (path: string) => string>> = {
  missing: (path) => `${path} is not there: correct memory.extraPaths.`,
  unreadable: (path) => `${path} cannot be read: check its permissions.`,
  link: (path) => `${path} is a link, which is not followed: name its target in memory.extraPaths.`,
  "too-large": (path) => `${path} is larger than 1 MiB, and is not searched: split it.`,
  "too-deep": (path) => `${path} is too deep, and is not searched: name it in memory.extraPaths.`,
};

/** What is not searched of the notes, and what to do about it, a sentence each. */
export async function noteProblems({ files, leftOut, isComplete }: ListedNotes): Promise<readonly string[]> {
  const problems = leftOut.map(({ path, reason }) => WORDS[reason](path));
  const readable = await inBatches(files, isReadable);
  problems.push(...files.filter((_, index) => readable[index] === false).map(({ path }) => WORDS.unreadable(path)));
  const more = problems.length - MAX_NAMED;
  return [
    ...(isComplete ? [] : ["There are more than 5,000 notes: the others are not searched. Move old ones elsewhere."]),
    ...problems.slice(0, MAX_NAMED),
    ...(more > 0 ? [`${more} more files and folders are left out.`] : []),
  ];
}
