import type { AgentTool, Clock, CommandRunner, JsonValue, Logger, RunFacts } from "@factotum/agent-contract";

/** Where a server works for: its processes are shared by all runs of the same place. */
export type LspPlace = Pick<RunFacts, "agentId" | "workspace" | "sandbox">;

/** A text file that a run may read. */
export interface LspFile {
  /** Absolute, symbolic links resolved. */
  readonly path: string;
  /** As models know it. */
  readonly shown: string;
  readonly text: string;
  /** It holds text of others (R23). */
  readonly untrusted: boolean;
  /** Tells versions of the file apart; opaque. */
  readonly version: unknown;
}

/** A file with another content. */
export interface LspFileChange {
  readonly file: LspFile;
  readonly text: string;
}

/** The files of one run. Methods reject with an error whose message is for the model. */
export interface LspRunFiles {
  /** Reads a text file of at most 1 MB. */
  read(path: string): Promise<LspFile>;
  /** Makes all of the changes or none, if the files are still as they were read. */
  change(changes: readonly LspFileChange[], options: { readonly tainted: boolean }): Promise<void>;
  /** The first of these files that later turns follow as instructions, by its name. */
  findInstructions(paths: readonly string[]): Promise<string | undefined>;
  /** An absolute path as models know it. */
  show(path: string): string;
}

/** What the language servers of a gateway need. */
export interface LspOptions {
  /** Runs servers, each in the sandbox of its run facts. */
  readonly runner: CommandRunner;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The version of the product, for servers. */
  readonly version: string;
  readonly files: { forRun(run: RunFacts): Promise<LspRunFiles> };
  /** Reads a secret; rejects with why it has no value. */
  readonly readSecret: (reference: JsonValue) => Promise<string>;
  /** Folder for what servers can do; absolute, used by this process alone, created on demand. */
  readonly folder: string;
  /** Replaces secrets in texts that servers have written. */
  readonly hideSecrets: (text: string) => string;
  /** Wraps the tools that models get. */
  readonly decorate?: (tools: readonly AgentTool[]) => readonly AgentTool[];
  /** The folders of programs, as in `PATH`. */
  readonly searchPath: string;
  /** How long a session waits for servers that were never started. Default 15 seconds. */
  readonly firstStartMs?: number;
}

/** Settings of all servers together. */
export interface LspLimits {
  /** A server that nothing has used for this time is stopped. Milliseconds. */
  readonly idleMs: number;
  /** Servers that run at the same time. */
  readonly maxServers: number;
  /** Programs that are looked for are also taken from `node_modules/.bin` of the workspace. */
  readonly workspacePrograms: boolean;
  /** Errors that a change of a file introduces are reported with it. */
  readonly changeDiagnostics: boolean;
}
