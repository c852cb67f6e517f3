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
import { walkFolder } from "./walk-folder.ts";

const DEFAULT_LIMIT = 100;
/** Reserve for the closing line. */
const NOTE_CHARS = 120;

export interface GrepToolOptions {
  readonly files: FileAccess;
  /** Maximum characters of a result. */
  readonly maxResultChars: number;
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
  const { files, maxResultChars } = options;
  return defineTool({
    name: "grep",
    summary: "Search the text of files",
    description: `Searches a file or folder line by line. Skips binary files and what .gitignore hides. Returns each match as "path:line: text"; the whole result has at most ${maxResultChars} characters.`,
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
        for await (const file of filesOf(start, access, { glob: args.glob, signal })) {
          await searchFile(file, { match, context, report, signal });
          untrusted ||= file.untrusted;
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

/** A leading inline `(?i)`, which other engines support, counts as `ignoreCase`. */
function toRegExp({ pattern, literal = false, ignoreCase = false }: GrepArgs): RegExp | SyntaxError {
  const inline = !literal && pattern.startsWith("(?i)");
  const source = literal ? RegExp.escape(pattern) : inline ? pattern.slice(4) : pattern;
  try {
    return new RegExp(source, ignoreCase || inline ? "i" : "");
  } catch (error) {
    if (error instanceof SyntaxError) return error;
    throw error;
  }
}

/** The files to search, each closed when the next one is requested. */
async function* filesOf(
  start: OpenFile | OpenFolder,
  access: RunFiles,
  options: { readonly glob: string | undefined; readonly signal: AbortSignal },
): AsyncGenerator<OpenFile> {
  if (start.type === "file") {
    yield start;
    return;
  }
  const select =
    options.glob === undefined ? (paths: readonly string[]): boolean[] => paths.map(() => true) : await selectGlob(options.glob);
  const rules = await IgnoreRules.above(start.path, access);
  for await (const entry of walkFolder(start, { rules, select, signal: options.signal })) {
    if (entry.isFolder) continue;
    const opened = await openOrSkip(() => entry.open());
    if (opened === undefined) continue;
    await using closing = opened;
    if (closing.type === "file") yield closing;
  }
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
