import { createReadStream } from "node:fs";
import { open, stat, type FileHandle } from "node:fs/promises";
import { createInterface } from "node:readline";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = 200;
const CHUNK_BYTES = 64 * 1024;

/** The current reading position. */
export interface LogPosition {
  /** Of the newest file; `undefined` if there is none. */
  readonly inode: number | undefined;
  readonly offset: number;
}

/** The last `count` lines that are `wanted`, from the log and the previous file, and the position after them. */
export async function readLastLines(
  path: string,
  count: number,
  wanted: (line: string) => boolean,
): Promise<{ readonly lines: readonly string[]; readonly position: LogPosition }> {
  const lines: string[] = [];
  const facts = await statOrNone(path);
  for (const [file, end] of [[`${path}.1`, (await statOrNone(`${path}.1`))?.size ?? 0] as const, [path, facts?.size ?? 0] as const]) {
    if (end === 0) continue;
    const input = createReadStream(file, { end: end - 1 });
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      if (!wanted(line)) continue;
      lines.push(line);
      if (lines.length > count) lines.shift();
    }
  }
  return { lines, position: { inode: facts?.ino, offset: facts?.size ?? 0 } };
}

/** Lines of one look at the log. */
export interface LogLook {
  readonly lines: readonly string[];
  /** Where the next look begins. */
  readonly position: LogPosition;
  /** The file that had the next lines is gone. */
  readonly missed: boolean;
}

/** The whole lines written after `position` that are `wanted`, from at most a megabyte: the rest of the previous file first, in as many looks as it takes. */
export async function readLinesAfter(path: string, { inode, offset }: LogPosition, wanted: (line: string) => boolean): Promise<LogLook> {
  const facts = await statOrNone(path);
  if (facts === undefined) return { lines: [], position: { inode: undefined, offset: 0 }, missed: false };
  const isSame = facts.ino === inode && offset <= facts.size;
  const before = isSame ? undefined : await statOrNone(`${path}.1`);
  if (before !== undefined && before.ino === inode) {
    const rest = await readWholeLines(`${path}.1`, offset);
    if (rest.end > offset) return { lines: rest.lines.filter(wanted), position: { inode, offset: rest.end }, missed: false };
  }
  const read = await readWholeLines(path, isSame ? offset : 0);
  return {
    lines: read.lines.filter(wanted),
    position: { inode: facts.ino, offset: read.end },
    missed: !isSame && inode !== 0 && inode !== undefined && before?.ino !== inode,
  };
}

/** Bytes that one look at the log reads of a file. */
const MAX_LOOK_BYTES = 1024 * 1024;

async function readWholeLines(path: string, from: number): Promise<{ readonly lines: readonly string[]; readonly end: number }> {
  const file = await openOrNone(path);
  if (file === undefined) return { lines: [], end: from };
  try {
    const chunk = Buffer.alloc(MAX_LOOK_BYTES);
    const { bytesRead } = await file.read(chunk, 0, MAX_LOOK_BYTES, from);
    const last = chunk.lastIndexOf(0x0a, bytesRead - 1);
    // No line is this long.
    if (bytesRead === 0 || last === -1) return { lines: [], end: bytesRead === MAX_LOOK_BYTES ? from + bytesRead : from };
    return { lines: chunk.subarray(0, last).toString("utf8").split("\n"), end: from + last + 1 };
  } finally {
    await file.close();
  }
}

/** Yields every line written after `position`, including later files, until the signal fires. */
export async function* followLog(
  path: string,
  position: LogPosition,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<string, void, undefined> {
  let { inode, offset } = position;
  while (!signal.aborted) {
    const file = await openOrNone(path);
    if (file !== undefined) {
      try {
        // A new file is read from its start.
        const facts = await file.stat();
        yield* readOn(path, file, facts.ino === inode && offset <= facts.size ? offset : 0, signal);
        inode = undefined;
        offset = 0;
      } finally {
        await file.close();
      }
    } else await pause(signal);
  }
}

/** Yields the lines of one file until another one has its name, it is truncated, or the signal fires. */
async function* readOn(path: string, file: FileHandle, from: number, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
  const { ino } = await file.stat();
  const decoder = new StringDecoder("utf8");
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let at = from;
  let rest = "";
  while (!signal.aborted) {
    // Checked before reading: a rotating writer has finished this file by then. Bytes written in between only make it longer.
    const known = at;
    const now = await statOrNone(path);
    for (let read = await file.read(chunk, 0, CHUNK_BYTES, at); read.bytesRead > 0; read = await file.read(chunk, 0, CHUNK_BYTES, at)) {
      at += read.bytesRead;
      const pieces = `${rest}${decoder.write(chunk.subarray(0, read.bytesRead))}`.split("\n");
      rest = pieces.pop() ?? "";
      yield* pieces;
    }
    if (now?.ino !== ino || now.size < known) return;
    await pause(signal);
  }
}

async function pause(signal: AbortSignal): Promise<void> {
  try {
    await delay(POLL_MS, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function statOrNone(path: string): Promise<{ readonly ino: number; readonly size: number } | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function openOrNone(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
