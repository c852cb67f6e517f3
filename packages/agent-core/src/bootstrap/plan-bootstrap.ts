import { withoutUndefined } from "@factotum/agent-contract";
import type { RunKind } from "@factotum/agent-contract";
import { promptVariant } from "../prompt/prompt-variant.ts";
import { headOf } from "../text/cut-text.ts";
import {
  BOOTSTRAP_NAMES,
  type BootstrapFile,
  type BootstrapName,
  type BootstrapPlan,
  type BootstrapTruncation,
  type PlannedFile,
} from "./bootstrap-file.ts";

/** Limits for the bootstrap files in a prompt. */
export interface BootstrapLimits {
  /** Characters per file; 20,000 by default. */
  readonly maxFileChars?: number;
  /** Characters of all files together, private memory included; 60,000 by default. */
  readonly maxTotalChars?: number;
  /** The model's window in tokens: all files together take at most a quarter of it. */
  readonly contextWindow: number;
  /** The kind of run that creates the session; selects the files. */
  readonly run: RunKind;
  /** A heartbeat gets HEARTBEAT.md alone, a cron job nothing; false by default. */
  readonly lightContext?: boolean;
}

const MAX_FILE_CHARS = 20_000;
const MAX_TOTAL_CHARS = 60_000;
const WINDOW_SHARE = 0.25;
const CHARS_PER_TOKEN = 4;
const CUT_MARK = "\n[… cut here]";
const NO_MARKER: readonly BootstrapName[] = ["HEARTBEAT.md", "BOOTSTRAP.md", "MEMORY.md", "memory.md"];

/**
 * Selects the bootstrap files of a prompt and truncates them. Blank files are skipped; missing ones are marked, except HEARTBEAT, BOOTSTRAP and private memory.
 * Over the total limit the least important file is truncated first. Files that are not passed are not mentioned: leave private memory out if the session is not
 * private. Pure.
 */
export function planBootstrap(files: readonly BootstrapFile[], limits: BootstrapLimits): BootstrapPlan {
  const maxFileChars = limits.maxFileChars ?? MAX_FILE_CHARS;
  const windowChars = Math.floor(limits.contextWindow * CHARS_PER_TOKEN * WINDOW_SHARE);
  let room = Math.max(0, Math.min(limits.maxTotalChars ?? MAX_TOTAL_CHARS, windowChars));
  const projectContext: PlannedFile[] = [];
  const truncations: BootstrapTruncation[] = [];
  const wanted = promptVariant(limits.run, { lightContext: limits.lightContext ?? false }).bootstrap;
  let privateMemory: PlannedFile | undefined;
  for (const { name, path, content } of inOrder(files, wanted)) {
    if (content === undefined) {
      if (!NO_MARKER.includes(name)) projectContext.push({ type: "missing", path });
      continue;
    }
    const text = content.toWellFormed().trim();
    if (text === "") continue;
    const kept = fit(text, Math.min(maxFileChars, room));
    if (kept.chars < text.length)
      truncations.push({ name, limit: maxFileChars <= room ? "file" : "total", keptChars: kept.chars, totalChars: text.length });
    room -= kept.text.length;
    const planned: PlannedFile = { type: "present", path, text: kept.text };
    if (isMemory(name)) privateMemory = planned;
    else projectContext.push(planned);
  }
  return { projectContext, ...withoutUndefined({ privateMemory }), truncations };
}

function inOrder(files: readonly BootstrapFile[], names: readonly BootstrapName[]): readonly BootstrapFile[] {
  const wanted = BOOTSTRAP_NAMES.filter((name) => names.includes(name)).flatMap((name) => files.find((file) => file.name === name) ?? []);
  const memory = wanted.filter((file) => isMemory(file.name) && file.content !== undefined).slice(0, 1);
  return [...wanted.filter((file) => !isMemory(file.name)), ...memory];
}

function isMemory(name: BootstrapName): boolean {
  return name === "MEMORY.md" || name === "memory.md";
}

/** The text cut to the limit, including the mark; empty if the limit is too small for the mark. */
function fit(text: string, maxChars: number): { readonly text: string; readonly chars: number } {
  if (text.length <= maxChars) return { text, chars: text.length };
  if (maxChars <= CUT_MARK.length) return { text: "", chars: 0 };
  const kept = headOf(text, maxChars - CUT_MARK.length);
  return { text: `${kept}${CUT_MARK}`, chars: kept.length };
}
