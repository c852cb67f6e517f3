/** The workspace files that the prompt takes in, in the order and priority in which it does. */
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

/** Every bootstrap file, most important first. The last two are private memory: the second counts only where the first is missing. */
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
  /** As the prompt shows it. */
  readonly path: string;
  /** `undefined`: the file is not there. */
  readonly content: string | undefined;
}

/** What of one file goes into the prompt. */
export type PlannedFile =
  | { readonly type: "present"; readonly path: string; readonly text: string }
  | { readonly type: "missing"; readonly path: string };

/** A file that did not fit: which limit cut it, and how much of it is left. */
export interface BootstrapTruncation {
  readonly name: BootstrapName;
  /** `file`: its own limit; `total`: the one for all files together. */
  readonly limit: "file" | "total";
  /** Characters of the file that are in the prompt. */
  readonly keptChars: number;
  /** Characters that the file has. */
  readonly totalChars: number;
}

/** What of the bootstrap files goes into the prompt. */
export interface BootstrapPlan {
  readonly projectContext: readonly PlannedFile[];
  readonly privateMemory?: PlannedFile;
  readonly truncations: readonly BootstrapTruncation[];
}
