import type { JsonObject, JsonValue } from "./json.ts";
import type { RunFacts, RunSandbox, ToolCaller } from "./run.ts";

/** The time, injected. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. For display and schedules; it can jump. */
  now(): number;
  /** Monotonic milliseconds, for deadlines. */
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
  /** A log that adds these fields to every line. */
  child(fields: Readonly<Record<string, unknown>>): Logger;
}

/** A command: a shell line, or a program with its arguments. It alone says what runs. */
export interface CommandRequest {
  readonly command:
    | { readonly type: "shell"; readonly text: string }
    | { readonly type: "argv"; readonly file: string; readonly args: readonly string[] };
  /** Absolute. */
  readonly cwd: string;
  /** Added to the runner's own minimal environment, which never contains the gateway's secrets. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * `none`: standard input is empty. `pipe`: it stays open for `RunningCommand.write`. `terminal`: the same, and the command has a terminal of this size, in
   * characters. Default `none`.
   */
  readonly input?: { readonly type: "none" | "pipe" } | { readonly type: "terminal"; readonly columns: number; readonly rows: number };
  /** Milliseconds until the process group is killed; 0: no limit. */
  readonly timeoutMs: number;
  /** Maximum bytes of the result's output: the beginning and the end; the middle is counted and dropped. */
  readonly maxOutputBytes: number;
  /** The model had been given text of others when it asked for the command (R23). A sandbox then shows the agent's own workspace read-only. */
  readonly tainted?: boolean;
}

/** How a command ended. */
export interface CommandResult {
  readonly end:
    | { readonly type: "exited"; readonly exitCode: number }
    | { readonly type: "signalled"; readonly signal: string }
    | { readonly type: "timed-out" }
    /** By its signal or by `kill`. */
    | { readonly type: "aborted" }
    /** All running commands together exceeded a limit (processes, or bytes of memory), and this one used the most. */
    | { readonly type: "over-limit"; readonly limit: "processes" | "memory"; readonly used: number; readonly allowed: number }
    /** It never ran: no such program, no such folder, no permission. */
    | { readonly type: "not-started"; readonly message: string };
  /** Standard output and standard error in the order of arrival, UTF-8, with a mark where output was dropped. */
  readonly output: string;
  /** Total bytes that the command wrote. */
  readonly outputBytes: number;
  readonly durationMs: number;
  /** Why requests of the command were refused by the proxy of its sandbox: each reason once, at most 20. Absent: none was. */
  readonly refusedRequests?: readonly string[];
}

/** Options of a command that are not part of what runs. */
export interface CommandOptions {
  /** Ends the command. */
  readonly signal: AbortSignal;
  readonly run: RunFacts;
  /** Called with the start of the output as it arrives, up to `maxOutputBytes`. */
  readonly onOutput: (text: string) => void;
}

/** A part of a command's output. Offsets count bytes of the whole output in UTF-8, also of what is no longer kept. */
export interface OutputPart {
  readonly text: string;
  /** Offset of the text: later than requested if the requested part is not kept any more. */
  readonly offset: number;
  /** Offset after the text. */
  readonly next: number;
}

/** The newest output of a command, in bounded memory. */
export interface CommandOutput {
  /** Bytes of the whole output so far. */
  readonly length: number;
  /** At most `maxBytes` from `offset` on, in whole characters. */
  read(offset: number, maxBytes: number): OutputPart;
  /** Resolves with true once the output is longer than `length`, with false when the command has ended or the signal fires. */
  changed(length: number, options: { readonly signal: AbortSignal }): Promise<boolean>;
}

/** `closed`: the request opened no input, or the command or `closeInput` has closed it. `full`: the command does not read what was written before. */
export type InputOutcome = "written" | "closed" | "full";

/** A command that was started. */
export interface RunningCommand {
  /** Resolves once no process of the command is left. Never rejects. */
  readonly ended: Promise<CommandResult>;
  readonly output: CommandOutput;
  /** Writes to standard input; does not wait until the command has read it. */
  write(text: string): InputOutcome;
  /** Ends standard input; on a terminal it types Ctrl-D. */
  closeInput(): InputOutcome;
  /** Ends the whole process group: TERM, a grace period, KILL. Idempotent; `ended` says when it is done. */
  kill(): void;
}

/** Runs commands: on the host, or in a sandbox. Implemented by `sandbox`, used by `tools`. */
export interface CommandRunner {
  /** Starts a command. Never rejects: a command that could not start has ended. */
  start(request: CommandRequest, options: CommandOptions): Promise<RunningCommand>;
  /** Runs one command to its end: `start`, then `ended`. Never rejects. */
  run(request: CommandRequest, options: CommandOptions): Promise<CommandResult>;
}

/** A command that runs, or ran, in the background of a session. */
export interface BackgroundCommand {
  /** Unique; short enough for a model to repeat. */
  readonly id: string;
  /** The shell line. */
  readonly text: string;
  readonly hasTerminal: boolean;
  /** The sandbox that it runs in; absent: on the host. */
  readonly sandbox?: RunSandbox;
  /** The model had been given text of others when it started the command (R23). */
  readonly tainted: boolean;
  /** Monotonic. */
  readonly startedMs: number;
  readonly running: RunningCommand;
  /** Present once it has ended. */
  readonly result?: CommandResult;
  /** Offset of the first output that was not taken yet. */
  readonly takenTo: number;
  /** The newest output that was not taken yet, at most `maxBytes`; older output is skipped. Counts as taken. */
  takeOutput(maxBytes: number): OutputPart;
}

/** The background commands of sessions. Implemented by the gateway, used by `tools`. */
export interface BackgroundCommands {
  /**
   * Keeps a command beyond its tool call. From then on it belongs to the run's session: its end is reported there once, also after a crash. Rejects if that
   * cannot be stored; then the caller ends the command.
   */
  keep(command: Pick<BackgroundCommand, "text" | "hasTerminal" | "running">, caller: ToolCaller): Promise<BackgroundCommand>;
  /** The commands of the session's conversation, oldest first: all that run, and the last that have ended. A reset ends them all. */
  list(run: RunFacts): readonly BackgroundCommand[];
  /** The model is told how a command has ended: its end is not reported again. */
  told(id: string, run: RunFacts): void;
}

/** A file that a tool is about to create or replace. */
export interface FileWrite {
  /** Absolute, symbolic links resolved. */
  readonly path: string;
  /** The complete new content. */
  readonly content: string;
  readonly run: RunFacts;
  /** The model had been given text of others than the owner when it requested this write (R23). */
  readonly tainted: boolean;
  /** The whole content was given, whatever the file holds by now. */
  readonly isBlind?: true;
}

/** Tracks which text in files came from tainted turns (R23). Implemented by `gateway`, used by `tools`. */
export interface FileProvenance {
  /** Called before each write; what it records is durable before the file changes. The message of a refusal is for the model. Rejects if it cannot record. */
  beforeWrite(write: FileWrite): Promise<{ readonly type: "allow" } | { readonly type: "refuse"; readonly message: string }>;
  /** The name of the file at this path if later turns follow it as instructions. `path` is absolute, symbolic links resolved. */
  instructionAt(path: string): Promise<string | undefined>;
  /** True if a file, or with `lines` these whole lines of it, contains text that a tainted turn wrote. `path` is absolute, symbolic links resolved. */
  isUntrusted(path: string, run: Pick<RunFacts, "agentId">, lines?: string): Promise<boolean>;
}

/** What a file was before a change: `too-large` for one of more than `FileCheckpoints.maxBytes`. */
export type FileBefore =
  | { readonly type: "absent" }
  | { readonly type: "file"; readonly content: Uint8Array; readonly mode: number }
  | { readonly type: "too-large"; readonly sizeBytes: number };

/** A change of a file that a tool is about to make. */
export interface FileChangePlan {
  /** Absolute, symbolic links resolved. */
  readonly path: string;
  readonly before: FileBefore;
  /** The complete new content; absent if the file will be removed. */
  readonly after?: string | Uint8Array;
}

/** Keeps what files held before a turn changed them. Implemented by `gateway`, used by `tools`. */
export interface FileCheckpoints {
  /** The largest file that is kept; nothing is read of a larger one. */
  readonly maxBytes: number;
  /** Whether changes of a run are kept now. If not, nothing is read and `beforeChange` is not called. */
  keeps(run: RunFacts): boolean;
  /** Called before the changes of one tool call; what it keeps is durable before a file changes. Rejects if it cannot keep it: then nothing may change. */
  beforeChange(changes: readonly FileChangePlan[], run: RunFacts): Promise<void>;
}

/** The text of a file that a tool changes. */
export interface CheckedFile {
  /** Absolute, symbolic links resolved. */
  readonly path: string;
  /** As shown to the model. */
  readonly shown: string;
  readonly text: string;
}

/** A check of one change of files. Disposing ends it without a result, if the change was not made. */
export interface ChangeCheck extends Disposable {
  /**
   * Called once after the change, with the files as they are now. Resolves within 5 seconds with the errors that the change has introduced, for the model;
   * `undefined` without any, and if they are not known for these texts by then. Never rejects.
   */
  introduced(files: readonly CheckedFile[], options: { readonly signal: AbortSignal }): Promise<string | undefined>;
}

/** Finds the errors that changes of files introduce. Implemented by `plugin-lsp`, used by `tools`. */
export interface ChangeChecker {
  /** Whether a change of this file would be checked. Decides by the name. */
  covers(path: string, run: RunFacts): boolean;
  /** Begins before a change, with what the files hold then; a file that is not there yet is not among them. Waits for nothing, and never throws. */
  begin(files: readonly CheckedFile[], run: RunFacts): ChangeCheck;
}

/** A structured message. Where the platform has no cards it is sent as text. */
export interface MessageCard {
  readonly title?: string;
  /** Markdown. */
  readonly body: string;
  readonly fields?: readonly { readonly label: string; readonly value: string }[];
  /** Their values arrive with a press of a button. */
  readonly inputs?: readonly {
    readonly type: "text" | "choice";
    readonly id: string;
    readonly label: string;
    /** Of a choice. */
    readonly options?: readonly string[];
  }[];
  /** A press arrives as a message. `value` is the label by default. */
  readonly buttons?: readonly { readonly label: string; readonly value?: string; readonly style?: "default" | "primary" | "danger" }[];
}

/** One operation of the `message` tool. The `messageId` of `edit` and `delete` comes from an earlier result. */
export type MessageOperation =
  /** Text, followed by the file that `media` names: a path in the workspace or an http(s) address. `mentions`: people whose `@name` in the text notifies them. */
  | {
      readonly type: "send";
      readonly text: string;
      readonly media?: string;
      readonly mentions?: readonly { readonly id: string; readonly name: string }[];
    }
  | { readonly type: "card"; readonly card: MessageCard }
  | {
      readonly type: "poll";
      readonly question: string;
      readonly options: readonly string[];
      readonly multiple: boolean;
      readonly durationMs?: number;
    }
  | { readonly type: "react"; readonly messageId: string; readonly emoji: string; readonly removed: boolean }
  /** Replaces a message: by the text, or by the card if there is one. */
  | { readonly type: "edit"; readonly messageId: string; readonly text: string; readonly card?: MessageCard }
  | { readonly type: "delete"; readonly messageId: string }
  /** An operation of the channel besides sending, such as `pin`. */
  | { readonly type: "act"; readonly name: string; readonly parameters: JsonObject };

/** One call of the `message` tool. */
export interface MessengerRequest {
  readonly callId: string;
  readonly operation: MessageOperation;
  /** Default: the run's own channel. */
  readonly channel?: string;
  /** An address or a name. Default: the run's own conversation. */
  readonly target?: string;
  readonly threadId?: string;
  /** The platform's id of the message that is replied to. */
  readonly replyTo?: string;
  readonly silent?: boolean;
  /** Shown to this person alone. */
  readonly onlyFor?: string;
}

/** The result of an operation of the `message` tool. */
export type MessengerResult =
  /** Committed to the outbox; the platform's answer comes later. `messageId` names the message for `edit` and `delete`. */
  | { readonly type: "queued"; readonly channel: string; readonly target: string; readonly messageId?: string }
  /** The result of an action: text of others. */
  | { readonly type: "done"; readonly value: JsonValue }
  | { readonly type: "refused"; readonly message: string };

/** Describes sessions for the tool `session_status`. Implemented by the gateway. */
export interface SessionReporter {
  /** The current time, and what the run's session works with; a few lines for the model. */
  describe(run: RunFacts): Promise<string>;
}

/** A question to the user. Without options any answer is asked for; with options one of them, or other words. */
export interface Question {
  readonly question: string;
  readonly options: readonly string[];
}

/** How questions ended. `answers`: those that were given, in the order of the questions. */
export type QuestionOutcome =
  | { readonly type: "answered"; readonly answers: readonly string[]; readonly untrusted: boolean }
  /** The wait ended before all were answered; `message` tells the model why. */
  | { readonly type: "unanswered"; readonly answers: readonly string[]; readonly untrusted: boolean; readonly message: string };

/** Asks the user of a run, for the tool `ask_user` and for servers. Implemented by the gateway. */
export interface Questioner {
  /**
   * Asks one question after the other, and waits for each answer; after a restart the same call goes on. `signal`: the answer is no longer wanted. Rejects when the
   * store does, or the gateway ends.
   */
  ask(
    questions: readonly Question[],
    options: { readonly callId: string; readonly run: RunFacts; readonly signal?: AbortSignal },
  ): Promise<QuestionOutcome>;
}

/** One step of a plan. */
export interface PlanStep {
  readonly step: string;
  readonly status: "pending" | "in_progress" | "completed";
}

/** Shows the plans of runs to people, for the tool `update_plan`. Implemented by the gateway. */
export interface PlanBoard {
  /** Shows a plan in place of the run's earlier one, where the chat can edit messages. Clients of the gateway read it from the call. Rejects when the store does. */
  show(steps: readonly PlanStep[], options: { readonly callId: string; readonly run: RunFacts }): Promise<void>;
}

/** A change of the configuration file, made for one version of it. */
export interface SettingsChange {
  /** The `hash` of the version. */
  readonly base: string;
  /** `merge`: `value` is a JSON merge patch of the whole file. `replace`: `value` becomes that of `key`, or the whole file without one. */
  readonly type: "merge" | "replace";
  readonly key?: string;
  readonly value: JsonValue;
}

/** What became of a request about settings; `message` is for the model: what is wrong, and what to do. */
export type SettingsAnswer = { readonly type: "done"; readonly text: string } | { readonly type: "refused"; readonly message: string };

/** The configuration of the gateway, for the tool `gateway`. Never shows or takes a secret in plain text. Implemented by the product. */
export interface SettingsService {
  /** The schema of a key, or of the whole file. Rejects when the disk does, as the others do. */
  describe(key: string | undefined): Promise<SettingsAnswer>;
  /** The value of a key, or the whole file, with the hash of this version of the file. */
  read(key: string | undefined): Promise<SettingsAnswer>;
  /** What a change would do, as lines of differences, without doing it. */
  plan(change: SettingsChange): Promise<SettingsAnswer>;
  /** Writes a change, and has the gateway use it. */
  write(change: SettingsChange): Promise<SettingsAnswer>;
}

/** Restarts the gateway. Implemented by the gateway. */
export interface Restarter {
  /** Restarts once the run is over and its answer stored. A second request of the run changes nothing. */
  restartAfter(run: RunFacts): void;
}

/** Sends messages for the `message` tool. Implemented by the gateway, which knows the run's address. */
export interface Messenger {
  /** Never rejects. What goes through the outbox is sent once per `callId`. */
  perform(request: MessengerRequest, options: { readonly signal: AbortSignal; readonly run: RunFacts }): Promise<MessengerResult>;
}
