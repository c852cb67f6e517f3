import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { INSTALL_LIMITS } from "../install/staged-files.ts";
import { plainLine } from "../skill-file/plain-line.ts";
import { HIDDEN_CHARACTERS, SCAN_RULES, type FindingSeverity } from "./scan-rules.ts";

const MAX_FINDINGS = 200;
/** Findings of one rule in one file. */
const MAX_PER_RULE = 5;
/** Longer lines are scanned in part: patterns must end soon. */
const MAX_LINE_CHARS = 4_000;
const MAX_EXCERPT_CHARS = 120;

/** Something that the static scan found in a skill. */
export interface SkillFinding {
  /** The rule, for programs. */
  readonly rule: string;
  readonly severity: FindingSeverity;
  readonly meaning: string;
  /** Relative to the skill. */
  readonly path: string;
  /** From 1; absent if the whole file is meant. */
  readonly line?: number;
  /** The line, as one plain line. */
  readonly excerpt?: string;
}

/**
 * Reads every file of a skill and reports what its user should know before it is installed, severe findings first. Runs nothing, and follows no links. A clean scan
 * proves nothing: it finds what is written openly.
 */
export async function scanSkill(folder: string, { signal }: { readonly signal: AbortSignal }): Promise<readonly SkillFinding[]> {
  const findings: SkillFinding[] = [];
  let read = 0;
  for (const path of (await readdir(folder, { recursive: true })).toSorted()) {
    signal.throwIfAborted();
    const file = join(folder, path);
    const stats = await lstat(file);
    if (stats.isSymbolicLink()) findings.push(unread("link", "is a link, which is not followed", path));
    if (!stats.isFile()) continue;
    // The files of a workspace have no limits.
    if (stats.size > INSTALL_LIMITS.maxFileBytes || read + stats.size > INSTALL_LIMITS.maxTotalBytes) {
      findings.push(unread("large-file", "was not read: it is too large, or the skill is", path));
      continue;
    }
    read += stats.size;
    findings.push(...scanFile(path, await readFile(file), (stats.mode & 0o100) !== 0));
  }
  const severe = findings.filter(({ severity }) => severity === "severe");
  return [...severe, ...findings.filter(({ severity }) => severity === "notice")].slice(0, MAX_FINDINGS);
}

function unread(rule: string, meaning: string, path: string): SkillFinding {
  return { rule, severity: "notice", meaning, path: plainLine(path, MAX_EXCERPT_CHARS) };
}

function scanFile(path: string, bytes: Uint8Array, isExecutable: boolean): readonly SkillFinding[] {
  if (HIDDEN_CHARACTERS.test(path))
    return [
      {
        rule: "hidden-characters",
        severity: "severe",
        meaning: "has a name with invisible characters",
        path: plainLine(path, MAX_EXCERPT_CHARS),
      },
    ];
  const text = decode(bytes);
  if (text === undefined) {
    if (/\.(?:png|jpe?g|gif|webp|ico|pdf|ttf|otf|woff2?)$/i.test(path) && !isExecutable) return [];
    return [{ rule: "binary-file", severity: "notice", meaning: "is a binary file that cannot be read", path }];
  }
  const program: SkillFinding[] = isExecutable
    ? [{ rule: "program", severity: "notice", meaning: "is a program that the skill may run", path }]
    : [];
  return [...program, ...scanText(path, text)];
}

function scanText(path: string, text: string): readonly SkillFinding[] {
  const found: SkillFinding[] = [];
  const counts = new Map<string, number>();
  // A byte order mark at the beginning hides nothing.
  for (const [index, written] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    const line = written.slice(0, MAX_LINE_CHARS);
    // Look-alike forms of letters, and invisible characters in the middle of words, must not hide a phrase.
    const plain = line.normalize("NFKC").replaceAll(new RegExp(HIDDEN_CHARACTERS, "gu"), "");
    for (const { id, severity, meaning, patterns } of SCAN_RULES) {
      if (!patterns.some((pattern) => pattern.test(id === "hidden-characters" ? line : plain))) continue;
      const count = (counts.get(id) ?? 0) + 1;
      counts.set(id, count);
      if (count <= MAX_PER_RULE)
        found.push({ rule: id, severity, meaning, path, line: index + 1, excerpt: plainLine(line, MAX_EXCERPT_CHARS) });
    }
  }
  return found;
}

function decode(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Not UTF-8: a binary file, which is reported as such.
    return undefined;
  }
}
