import type { RunFacts } from "./run.ts";

/** The time, injected. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. For display and schedules; it can jump. */
  now(): number;
  /** Milliseconds that only go forward. For deadlines. */
  monotonic(): number;
  /** Calls back once after `delayMs`; disposing cancels. Does not keep the process alive. */
  schedule(delayMs: number, callback: () => void): Disposable;
}

/** Randomness, injected. */
export interface Random {
  /** `count` unpredictable bytes. */
  bytes(count: number): Uint8Array;
  /** A version 4 UUID. */
  uuid(): string;
  /** In [0, 1); for jitter, not for secrets. */
  float(): number;
}

/** A structured log. Values under secret-like keys and registered secrets are redacted by the implementation. */
export interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** A log whose every line carries these fields too. */
  child(fields: Readonly<Record<string, unknown>>): Logger;
}

/** One command to run: a shell line, or a program with its arguments. */
export interface CommandRequest {
  readonly command:
    | { readonly type: "shell"; readonly text: string }
    | { readonly type: "argv"; readonly file: string; readonly args: readonly string[] };
  /** Absolute. */
  readonly cwd: string;
  /** Added to the runner's own small environment, which never holds the gateway's secrets. */
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds until the process group is killed. */
  readonly timeoutMs: number;
  /** Bytes kept of the output: the beginning and the end; the middle is counted and dropped. */
  readonly maxOutputBytes: number;
}

/** How a command ended. */
export interface CommandResult {
  readonly end:
    | { readonly type: "exited"; readonly exitCode: number }
    | { readonly type: "signalled"; readonly signal: string }
    | { readonly type: "timed-out" }
    | { readonly type: "aborted" }
    /** All running commands together used more than they may (processes, or bytes of memory), and this one used most. */
    | { readonly type: "over-limit"; readonly limit: "processes" | "memory"; readonly used: number; readonly allowed: number }
    /** It never ran: no such program, no such folder, no permission. */
    | { readonly type: "not-started"; readonly message: string };
  /** Standard output and standard error in the order of arrival, UTF-8, with a mark where something was dropped. */
  readonly output: string;
  /** Bytes the command wrote in all. */
  readonly outputBytes: number;
  readonly durationMs: number;
}

/** Where commands run: on the host, or in a sandbox. Implemented by `sandbox`, used by `tools`. */
export interface CommandRunner {
  /**
   * Runs one command to its end. Never rejects. When it settles, no process of the command's group is left. `onOutput` is called with the beginning of the
   * output as it arrives, until that is more than `maxOutputBytes`.
   */
  run(
    request: CommandRequest,
    options: { readonly signal: AbortSignal; readonly run: RunFacts; readonly onOutput: (text: string) => void },
  ): Promise<CommandResult>;
}

/** One skill, as the index of the prompt shows it. */
export interface SkillEntry {
  readonly name: string;
  readonly description: string;
  /** The path of SKILL.md as the model should give it to `read`: relative to the workspace (`./skills/…`) if it lies inside, else absolute. */
  readonly location: string;
  readonly version?: string;
  readonly source: "bundled" | "managed" | "workspace" | "extra";
  /** Absolute folder of the skill: readable by tools. */
  readonly folder: string;
}

/** Which skills there are. Implemented by `skills`, used by the gateway. */
export interface SkillIndex {
  /** The eligible skills, by name; `allow` narrows (`undefined`: all, `[]`: none). */
  list(options: {
    readonly workspace: string;
    readonly allow?: readonly string[];
    readonly signal: AbortSignal;
  }): Promise<readonly SkillEntry[]>;
}

/** One found passage of the notes. */
export interface NoteHit {
  /** Relative to the workspace. */
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
  /** 0 to 1, higher is better. */
  readonly score: number;
}

/** Search over the agent's notes. Implemented by `memory`, used by `tools`. */
export interface NoteIndex {
  /** Best first. `degraded` says why the search was weaker than it should be. Never blocks for an index that is being built. */
  search(
    query: string,
    options: { readonly agentId: string; readonly maxResults: number; readonly signal: AbortSignal },
  ): Promise<{ readonly hits: readonly NoteHit[]; readonly degraded?: string }>;
}

/** A file that a tool is about to create or replace. */
export interface FileWrite {
  /** Absolute, symbolic links resolved. */
  readonly path: string;
  /** The whole new content. */
  readonly content: string;
  readonly run: RunFacts;
  /** The model had been given text of somebody who is not the owner when it asked for this write (R23). */
  readonly tainted: boolean;
}

/** Knows which text in files came from tainted turns (R23). Implemented by `gateway`, used by `tools`. */
export interface FileProvenance {
  /** Asked before each write; what it records stands before the file changes. The message of a refusal is for the model. Rejects when it cannot record. */
  beforeWrite(write: FileWrite): Promise<{ readonly type: "allow" } | { readonly type: "refuse"; readonly message: string }>;
  /** True when a file holds text that a tainted turn wrote. `path` is absolute, symbolic links resolved. */
  isUntrusted(path: string, run: RunFacts): Promise<boolean>;
}

/** What became of a message that a tool sent. */
export type MessengerResult =
  /** Committed to the outbox; the platform's answer comes later. */
  { readonly type: "queued"; readonly channel: string; readonly target: string } | { readonly type: "refused"; readonly message: string };

/** Sends messages for the `message` tool. Implemented by the gateway, which knows the run's address. */
export interface Messenger {
  /**
   * Sends `text`, and behind it the file that `media` names (a path in the workspace or an http(s) address), to where the run came from, or to `target` on
   * `channel`. Never rejects. The same `callId` sends once.
   */
  send(
    request: {
      readonly callId: string;
      readonly text: string;
      readonly media?: string;
      readonly channel?: string;
      readonly target?: string;
    },
    options: { readonly signal: AbortSignal; readonly run: RunFacts },
  ): Promise<MessengerResult>;
}
