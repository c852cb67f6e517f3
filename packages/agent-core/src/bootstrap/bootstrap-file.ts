/** Names of workspace files in the prompt, in order of appearance and priority. */
export type BootstrapName =
  | "AGENTS.md"
  | "SOUL.md"
  | "TOOLS.md"
  | "IDENTITY.md"
  | "USER.md"
  | "HEARTBEAT.md"
  | "BOOTSTRAP.md"
  | "MEMORY.md"
  | "memory.md";

/** All bootstrap files, most important first. The last two are private memory; the second is used only if the first is missing. */
export const BOOTSTRAP_NAMES: readonly BootstrapName[] = [
  "AGENTS.md",
  "SOUL.md",
  "TOOLS.md",
  "IDENTITY.md",
  "USER.md",
  "HEARTBEAT.md",
  "BOOTSTRAP.md",
  "MEMORY.md",
  "memory.md",
];

/** A bootstrap file as it was read. */
export interface BootstrapFile {
  readonly name: BootstrapName;
  /** The path shown in the prompt. */
  readonly path: string;
  /** `undefined` if the file does not exist. */
  readonly content: string | undefined;
}

/** The content of one file in the prompt. */
export type PlannedFile =
  | { readonly type: "present"; readonly path: string; readonly text: string }
  | { readonly type: "missing"; readonly path: string };

/** A file that was truncated: by which limit, and how much of it is left. */
export interface BootstrapTruncation {
  readonly name: BootstrapName;
  /** `file`: the per-file limit; `total`: the limit for all files together. */
  readonly limit: "file" | "total";
  /** Characters of the file in the prompt. */
  readonly keptChars: number;
  /** Characters of the whole file. */
  readonly totalChars: number;
}

/** The bootstrap files in the prompt. */
export interface BootstrapPlan {
  readonly projectContext: readonly PlannedFile[];
  readonly privateMemory?: PlannedFile;
  readonly truncations: readonly BootstrapTruncation[];
}
