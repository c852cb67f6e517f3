/** One line of a hunk: kept, removed or added. */
export interface HunkLine {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

/** Consecutive lines of a file with their changes. */
export interface Hunk {
  /** Lines after `@@`, outermost first: the hunk is below them. */
  readonly anchors: readonly string[];
  readonly lines: readonly HunkLine[];
  /** The hunk ends where the file ends. */
  readonly isAtEnd: boolean;
  /** Where it begins in the patch, from 1. */
  readonly line: number;
}

/** What a patch does to one file. */
export type PatchSection =
  | { readonly type: "add"; readonly path: string; readonly content: string }
  | { readonly type: "update"; readonly path: string; readonly moveTo?: string; readonly hunks: readonly Hunk[] }
  | { readonly type: "delete"; readonly path: string };

/** A patch that cannot be read. The message is for the model. */
export class PatchError extends Error {
  constructor(message: string, line?: { readonly number: number; readonly text: string }) {
    super(line === undefined ? message : `${message} Line ${line.number} of the patch: ${quoteLine(line.text)}`);
    this.name = "PatchError";
  }
}

const BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const END_OF_FILE = "*** End of File";
const MOVE = "*** Move to: ";
const HEADER = /^\*\*\* (Add|Update|Delete) File: (.*)$/;
/** The line numbers of a unified diff: they say less than the lines, and are often wrong. */
const LINE_NUMBERS = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/;
const MAX_QUOTED_CHARS = 200;

/** A line as an error message shows it. */
export function quoteLine(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED_CHARS ? `${text.slice(0, MAX_QUOTED_CHARS)}…` : text);
}

/** Parses the patch format: files between `*** Begin Patch` and `*** End Patch`. Throws a PatchError. Pure. */
export function parsePatch(patch: string): readonly PatchSection[] {
  const lines = new PatchLines(patch);
  if (lines.next()?.trimEnd() !== BEGIN) throw lines.error(`The patch must begin with the line "${BEGIN}".`);
  const sections: PatchSection[] = [];
  for (let line = lines.next(); line?.trimEnd() !== END; line = lines.next()) {
    if (line === undefined) throw new PatchError(`The patch must end with the line "${END}".`);
    if (line.trim() === "") continue;
    const [, type, rest = ""] = HEADER.exec(line) ?? [];
    const path = rest.trimEnd();
    if (type === undefined)
      throw lines.error(
        'Expected "*** Add File: PATH", "*** Update File: PATH" or "*** Delete File: PATH"; lines of a hunk begin with +, - or a space.',
      );
    if (path === "") throw lines.error("The path is missing.");
    sections.push(type === "Add" ? parseAdded(path, lines) : type === "Delete" ? { type: "delete", path } : parseUpdated(path, lines));
  }
  if (lines.hasRest()) throw new PatchError(`Something follows the line "${END}". Put all files between one "${BEGIN}" and one "${END}".`);
  if (sections.length === 0) throw new PatchError("The patch changes no file.");
  return sections;
}

/** Reads a patch line by line, without its line ends. */
class PatchLines {
  readonly #lines: readonly string[];
  #at = 0;

  constructor(patch: string) {
    this.#lines = patch.trimStart().split(/\r?\n/);
  }

  /** The number of the line that was read last. */
  get number(): number {
    return this.#at;
  }

  next(): string | undefined {
    const line = this.#lines[this.#at];
    if (line !== undefined) this.#at += 1;
    return line;
  }

  peek(): string | undefined {
    return this.#lines[this.#at];
  }

  hasRest(): boolean {
    return this.#lines.slice(this.#at).some((line) => line.trim() !== "");
  }

  /** An error at the line that was read last. */
  error(message: string): PatchError {
    const text = this.#lines[this.#at - 1];
    return text === undefined ? new PatchError(message) : new PatchError(message, { number: this.#at, text });
  }
}

function parseAdded(path: string, lines: PatchLines): PatchSection {
  const added: string[] = [];
  for (let line = lines.peek(); line?.startsWith("+") === true; line = lines.peek()) {
    added.push(line.slice(1));
    lines.next();
  }
  const next = lines.peek();
  if (next !== undefined && next.trim() !== "" && !next.startsWith("***")) {
    lines.next();
    throw lines.error(`Every line of the new file ${path} must begin with "+".`);
  }
  return { type: "add", path, content: added.map((line) => `${line}\n`).join("") };
}

function parseUpdated(path: string, lines: PatchLines): PatchSection {
  let moveTo: string | undefined;
  if (lines.peek()?.startsWith(MOVE) === true) {
    moveTo = lines.next()?.slice(MOVE.length).trimEnd() ?? "";
    if (moveTo === "") throw lines.error("The path is missing.");
  }
  const hunks: Hunk[] = [];
  for (let line = lines.peek(); line !== undefined && !isHeader(line); line = lines.peek()) {
    const hunk = parseHunk(lines);
    if (hunk !== undefined) hunks.push(hunk);
  }
  if (hunks.length === 0 && moveTo === undefined) throw lines.error(`The update of ${path} has no hunk.`);
  return { type: "update", path, hunks, ...(moveTo !== undefined && { moveTo }) };
}

/** True for the line that ends the hunks of a file. */
function isHeader(line: string): boolean {
  return line.trimEnd() === END || HEADER.test(line);
}

/** Undefined for blank lines between two files. */
function parseHunk(lines: PatchLines): Hunk | undefined {
  const first = lines.number + 1;
  const anchors: string[] = [];
  for (let line = lines.peek(); line?.startsWith("@@") === true; line = lines.peek()) {
    const anchor = line.replace(LINE_NUMBERS, "@@").slice(2).replace(/^ /, "").trimEnd();
    // What follows line numbers is a hint of the tool that made them, not a line to look for.
    if (anchor !== "" && !LINE_NUMBERS.test(line)) anchors.push(anchor);
    lines.next();
  }
  const found: HunkLine[] = [];
  let isAtEnd = false;
  for (let line = lines.peek(); line !== undefined && !isHeader(line) && !line.startsWith("@@") && !isAtEnd; line = lines.peek()) {
    lines.next();
    const mark = line[0];
    if (line.trimEnd() === END_OF_FILE) isAtEnd = true;
    else if (mark === " " || mark === "-" || mark === "+") found.push({ mark, text: line.slice(1) });
    // Models often drop the space of an empty line.
    else if (line === "") found.push({ mark: " ", text: "" });
    else throw lines.error("Every line of a hunk must begin with a space, - or +.");
  }
  const changes = found.some(({ mark }) => mark !== " ");
  if (!changes && anchors.length === 0 && found.every(({ text }) => text.trim() === "")) return undefined;
  if (!changes) throw new PatchError(`The hunk at line ${first} of the patch changes nothing: it has no line that begins with - or +.`);
  return { anchors, lines: found, isAtEnd, line: first };
}
