import type { AgentTool } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { errorResult, textResult } from "../define-tool/tool-result.ts";
import type { FileAccess, RunFiles } from "../file-access/create-file-access.ts";
import { FileAccessError } from "../file-access/file-access-error.ts";
import type { OpenFile } from "../file-access/open-file.ts";
import type { OpenFolder } from "../file-access/open-folder.ts";
import { readChunks } from "../files/chunks.ts";
import { PathSchema } from "../files/path-parameter.ts";
import { sniffFile } from "../files/sniff-file.ts";
import { GrepReport } from "./grep-report.ts";
import { GuardedMatch, SlowPatternError } from "./guarded-match.ts";
import { IgnoreRules } from "./ignore-rules.ts";
import { lineBatches } from "./line-batches.ts";
import { GlobError, selectGlob } from "./select-glob.ts";
import { requiredText } from "./required-text.ts";
import type { TextFinder } from "./text-finder.ts";
import { walkFolder } from "./walk-folder.ts";
import type { WalkEntry } from "./walk-folder.ts";

const DEFAULT_LIMIT = 100;
/** Reserve for the closing line. */
const NOTE_CHARS = 120;
/** Files that are asked about at once. Their names fit into the arguments of a process. */
const FIRST_BATCH = 32;
const MAX_BATCH = 256;

export interface GrepToolOptions {
  readonly files: FileAccess;
  /** Maximum characters of a result. */
  readonly maxResultChars: number;
  /** Leaves out files without a text that every match has. Without it every file is read. */
  readonly findText?: TextFinder | undefined;
}

const GrepSchema = z.strictObject({
  pattern: z.string().min(1).max(1_000).describe("JavaScript regular expression"),
  path: PathSchema.optional(),
  glob: z.string().min(1).max(500).optional().describe("Only search files that match this glob"),
  literal: z.boolean().optional().describe("The pattern is plain text"),
  ignoreCase: z.boolean().optional(),
  context: z.int().min(0).max(20).optional().describe("Lines before and after each match"),
  limit: z.int().min(1).max(1_000).optional().describe(`Default ${DEFAULT_LIMIT}`),
});

type GrepArgs = z.output<typeof GrepSchema>;

/** Searches the lines of files. */
export function createGrepTool(options: GrepToolOptions): AgentTool {
  const { files, maxResultChars, findText } = options;
  return defineTool({
    name: "grep",
    summary: "Search the text of files",
    description: `Searches a file or folder line by line. Skips binary files and what .gitignore hides. Returns each match as "path:line: text"; at most ${maxResultChars} characters.`,
    schema: GrepSchema,
    traits: { effect: "read", idempotent: true, output: "trusted", network: false, parallel: true },
    async execute(args, { run, signal }) {
      const { path = ".", limit = DEFAULT_LIMIT, context = 0 } = args;
      const pattern = toRegExp(args);
      if (pattern instanceof SyntaxError) return errorResult(`${pattern.message}. Set literal to search for plain text.`);
      const access = await files.forRun(run);
      const report = new GrepReport({ maxMatches: limit, maxChars: maxResultChars - NOTE_CHARS });
      await using start = await access.open(path);
      let untrusted = start.untrusted;
      try {
        const match = new GuardedMatch(pattern);
        const among = findText === undefined ? undefined : textFilter(args, findText);
        for await (const file of filesOf(start, access, { glob: args.glob, among, signal })) {
          const { matches } = report;
          await searchFile(file, { match, context, report, signal });
          if (report.matches > matches) untrusted ||= file.untrusted;
          if (report.full) break;
        }
      } catch (error) {
        if (error instanceof GlobError || error instanceof SlowPatternError) return errorResult(error.message);
        throw error;
      }
      const facts = { details: { matches: report.matches, files: report.files, stopped: report.full }, untrusted };
      if (report.matches === 0) return textResult("No match.", facts);
      const note = report.full ? `[Stopped after ${report.matches} matches; narrow the pattern, path or glob.]\n` : "";
      return textResult(report.toString() + note, facts);
    },
  });
}

/** What is searched for. */
interface SearchedText {
  readonly pattern: string;
  readonly literal: boolean;
  readonly ignoreCase: boolean;
}

/** A leading inline `(?i)`, which other engines support, counts as `ignoreCase`. */
function withoutInlineFlag({ pattern, literal = false, ignoreCase = false }: GrepArgs): SearchedText {
  const inline = !literal && pattern.startsWith("(?i)");
  return { pattern: inline ? pattern.slice(4) : pattern, literal, ignoreCase: ignoreCase || inline };
}

function toRegExp(args: GrepArgs): RegExp | SyntaxError {
  const { pattern, literal, ignoreCase } = withoutInlineFlag(args);
  try {
    return new RegExp(literal ? RegExp.escape(pattern) : pattern, ignoreCase ? "i" : "");
  } catch (error) {
    if (error instanceof SyntaxError) return error;
    throw error;
  }
}

/** The paths among these whose files may match; `undefined` for all of them. */
type Among = (paths: readonly string[], signal: AbortSignal) => Promise<ReadonlySet<string> | undefined>;

/** Leaves out files without a text that every match has; `undefined` if the pattern has none. */
function textFilter(args: GrepArgs, findText: TextFinder): Among | undefined {
  const { pattern, ...how } = withoutInlineFlag(args);
  const text = requiredText(pattern, how);
  if (text === undefined) return undefined;
  return async (paths, signal) => findText({ text, ignoreCase: how.ignoreCase, files: paths }, { signal });
}

/** The files to search, each closed when the next one is requested. */
async function* filesOf(
  start: OpenFile | OpenFolder,
  access: RunFiles,
  options: { readonly glob: string | undefined; readonly among: Among | undefined; readonly signal: AbortSignal },
): AsyncGenerator<OpenFile> {
  if (start.type === "file") {
    yield start;
    return;
  }
  const select =
    options.glob === undefined ? (paths: readonly string[]): boolean[] => paths.map(() => true) : await selectGlob(options.glob);
  const rules = await IgnoreRules.above(start.path, access);
  const entries = walkFolder(start, { rules, select, signal: options.signal });
  if (options.among !== undefined) return yield* filteredFiles(entries, access, { ...options, among: options.among });
  for await (const entry of entries) {
    if (entry.isFolder) continue;
    const opened = await openOrSkip(() => entry.open());
    if (opened === undefined) continue;
    await using closing = opened;
    if (closing.type === "file") yield closing;
  }
}

/** The same in batches: only files that may match are opened, by their path, since their folders are closed by then. */
async function* filteredFiles(
  entries: AsyncIterable<WalkEntry>,
  access: RunFiles,
  { among, signal }: { readonly among: Among; readonly signal: AbortSignal },
): AsyncGenerator<OpenFile> {
  for await (const paths of pathBatches(entries)) {
    const chosen = await among(paths, signal);
    for (const path of paths) {
      if (chosen?.has(path) === false) continue;
      signal.throwIfAborted();
      const opened = await openOrSkip(() => access.open(path));
      if (opened === undefined) continue;
      await using closing = opened;
      if (closing.type === "file") yield closing;
    }
  }
}

/** The first batch is small: a search with a limit may be over soon. */
async function* pathBatches(entries: AsyncIterable<WalkEntry>): AsyncGenerator<readonly string[]> {
  let size = FIRST_BATCH;
  let batch: string[] = [];
  for await (const { path, isFolder } of entries) {
    if (isFolder) continue;
    batch.push(path);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
    size = Math.min(MAX_BATCH, size * 2);
  }
  if (batch.length > 0) yield batch;
}

async function openOrSkip(open: () => Promise<OpenFile | OpenFolder>): Promise<OpenFile | OpenFolder | undefined> {
  try {
    return await open();
  } catch (error) {
    // One unreadable file does not fail a search.
    if (error instanceof FileAccessError) return undefined;
    throw error;
  }
}

async function searchFile(
  file: OpenFile,
  options: { readonly match: GuardedMatch; readonly context: number; readonly report: GrepReport; readonly signal: AbortSignal },
): Promise<void> {
  const { match, context, report, signal } = options;
  const { kind, head } = await sniffFile(file.handle);
  if (kind.type !== "text") return;
  const before: { line: number; text: string }[] = [];
  let line = 0;
  let shownUpTo = 0;
  let after = 0;
  for await (const batch of lineBatches(readChunks(file, { head, signal }))) {
    const hits = match.testAll(batch);
    for (const [index, text] of batch.entries()) {
      line += 1;
      if (hits[index] === true) {
        if (report.full) return;
        if (shownUpTo === 0) report.files += 1;
        const first = before[0]?.line ?? line;
        if (context > 0 && report.matches > 0 && (shownUpTo === 0 || first > shownUpTo + 1)) report.add("gap");
        for (const earlier of before) report.add("context", file.shown, earlier.line, earlier.text);
        report.add("match", file.shown, line, text);
        before.length = 0;
        shownUpTo = line;
        after = context;
      } else if (after > 0) {
        report.add("context", file.shown, line, text);
        shownUpTo = line;
        after -= 1;
      } else if (context > 0) {
        before.push({ line, text });
        if (before.length > context) before.shift();
      }
      if (report.full && after === 0) return;
    }
  }
}
