import { ModelError, NO_USAGE } from "@factotum/agent-contract";
import type { Clock, CommandResult, CommandRunner, Logger, RunFacts } from "@factotum/agent-contract";
import type { TranscriptionConfig } from "@factotum/config";
import { transcribeAudio } from "@factotum/models";
import type { RunningConfig } from "../../agents/running-config.ts";
import { LaneShutdown } from "../../kernel/lane-abort.ts";
import { raceAbort } from "../../kernel/race-abort.ts";
import type { MediaProblems } from "../../observe/media-problems.ts";
import type { SpendGuard } from "../../spend/spend-guard.ts";
import { audioSeconds } from "./audio-seconds.ts";

/** A recording that was received. */
export interface Recording {
  readonly bytes: Uint8Array;
  /** Detected from the bytes. */
  readonly mimeType: string;
  /** Absolute path of the stored file; absent if it could not be stored. */
  readonly path?: string;
}

/** Why there is no text. */
type TranscriptionFailure = "no-speech" | "too-large" | "too-long" | "timeout" | "failed";

/** The text of a recording, or why there is none. */
export type Transcription =
  | { readonly type: "transcribed"; readonly text: string }
  /** `message` is for the owner. */
  | { readonly type: "failed"; readonly reason: TranscriptionFailure; readonly message: string };

/** The dependencies of transcription. */
export interface TranscriberOptions {
  readonly running: RunningConfig;
  readonly spend: Pick<SpendGuard, "reserve">;
  /** Runs the configured program on the host. */
  readonly commands: CommandRunner;
  readonly problems: MediaProblems;
  readonly clock: Clock;
  readonly logger: Logger;
}

const MEGABYTE = 1_000_000;
/** Largest recording that is transcribed: the limit of most providers. */
const MAX_BYTES = 20 * MEGABYTE;
/** Longest recording, where the file says how long it is. */
const MAX_SECONDS = 30 * 60;
/** Longest text of one recording; half an hour of fast speech is shorter. */
const MAX_CHARS = 40_000;
const MODEL_TIMEOUT_MS = 60_000;
/** Assumed for the reservation, which the real usage replaces. */
const RESERVED_TOKENS = 1_000;

/** Turns recordings into text, as `models.transcription` says. */
export class Transcriber {
  readonly #options: TranscriberOptions;

  constructor(options: TranscriberOptions) {
    this.#options = options;
  }

  /** True if the configuration names a model or a program. */
  get isConfigured(): boolean {
    return this.#options.running.config.models.transcription !== undefined;
  }

  /**
   * Transcribes one recording; charges the call to the run. The reason of a failure is logged, and shown to the owner as a warning until a recording is
   * transcribed. Rejects only at a shutdown: the next start takes the message again.
   */
  async transcribe(
    recording: Recording,
    { run, signal }: { readonly run: RunFacts; readonly signal: AbortSignal },
  ): Promise<Transcription> {
    const { running, logger, problems } = this.#options;
    const setting = running.config.models.transcription;
    if (setting === undefined) throw new Error("transcription is not configured");
    const outcome = tooMuch(recording) ?? (await this.#ask(recording, setting, { run, signal }));
    if (signal.reason instanceof LaneShutdown) throw signal.reason;
    if (outcome.type === "transcribed") problems.clear("transcription");
    else {
      logger.warn("A recording was not transcribed", { sessionKey: run.sessionKey, reason: outcome.reason, detail: outcome.message });
      // A silent recording or a stopped run is no problem of the installation.
      if ((outcome.reason === "failed" || outcome.reason === "timeout") && !signal.aborted)
        problems.record("transcription", outcome.message);
    }
    return outcome;
  }

  async #ask(
    recording: Recording,
    setting: TranscriptionConfig,
    options: { readonly run: RunFacts; readonly signal: AbortSignal },
  ): Promise<Transcription> {
    const { clock } = this.#options;
    const limitMs = typeof setting === "string" ? MODEL_TIMEOUT_MS : setting.timeoutSeconds * 1000;
    const limit = new AbortController();
    // A program is ended by its runner, and then says so itself.
    using _timer = clock.schedule(typeof setting === "string" ? limitMs : limitMs + 10_000, () =>
      limit.abort(new Error("the time is over")),
    );
    const signal = AbortSignal.any([options.signal, limit.signal]);
    try {
      const text =
        typeof setting === "string"
          ? await raceAbort(this.#askModel(recording, setting, { run: options.run, signal }), { signal, clock })
          : await raceAbort(this.#askCommand(recording, setting, { run: options.run, signal }), { signal, clock });
      if (text === "") return { type: "failed", reason: "no-speech", message: "nothing was said in it" };
      return { type: "transcribed", text: text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS).toWellFormed()}…` };
    } catch (error) {
      if (limit.signal.aborted || error instanceof TimedOut)
        return { type: "failed", reason: "timeout", message: `models.transcription took longer than ${limitMs / 1000} s` };
      return { type: "failed", reason: "failed", message: error instanceof Error ? error.message : "it failed for an unknown reason" };
    }
  }

  async #askModel(
    { bytes, mimeType }: Recording,
    reference: string,
    { run, signal }: { readonly run: RunFacts; readonly signal: AbortSignal },
  ): Promise<string> {
    const { running, spend } = this.#options;
    const connection = await running.models.mediaConnection(reference);
    const reservation = await spend.reserve({ agentId: run.agentId, kind: run.kind }, RESERVED_TOKENS);
    if (reservation.type === "refused") throw new ModelError("budget", reservation.message, { retry: { type: "never" } });
    let usage = NO_USAGE;
    try {
      const transcript = await transcribeAudio(connection, { bytes, mimeType }, { signal });
      ({ usage } = transcript);
      return transcript.text;
    } finally {
      reservation.settle(usage);
    }
  }

  async #askCommand(
    { path }: Recording,
    { command, timeoutSeconds }: Exclude<TranscriptionConfig, string>,
    { run, signal }: { readonly run: RunFacts; readonly signal: AbortSignal },
  ): Promise<string> {
    if (path === undefined) throw new Error("the recording could not be stored, and so no program can read it");
    const [file = "", ...args] = command;
    const { end, output } = await this.#options.commands.run(
      {
        command: { type: "argv", file, args: args.map((part) => part.replaceAll("{file}", path)) },
        cwd: run.workspace,
        env: {},
        timeoutMs: timeoutSeconds * 1000,
        maxOutputBytes: 4 * MAX_CHARS,
      },
      { signal, run: hostRun(run), onOutput: () => undefined },
    );
    const problem = problemOf(end, { file, output });
    if (problem !== undefined) throw problem;
    return output.trim();
  }
}

/** The owner's own program runs on the host, also for the recordings of others. */
function hostRun({ sandbox: _sandbox, ...run }: RunFacts): RunFacts {
  return run;
}

function tooMuch({ bytes, mimeType }: Recording): Transcription | undefined {
  if (bytes.length > MAX_BYTES) return { type: "failed", reason: "too-large", message: `it has more than ${MAX_BYTES / MEGABYTE} MB` };
  if ((audioSeconds(bytes, mimeType) ?? 0) > MAX_SECONDS)
    return { type: "failed", reason: "too-long", message: `it is longer than ${MAX_SECONDS / 60} minutes` };
  return undefined;
}

class TimedOut extends Error {}

function problemOf(end: CommandResult["end"], { file, output }: { readonly file: string; readonly output: string }): Error | undefined {
  const name = `The program ${file} of models.transcription`;
  switch (end.type) {
    case "exited": {
      const last = output.trim().split("\n").at(-1)?.slice(0, 200) ?? "";
      return end.exitCode === 0 ? undefined : new Error(`${name} ended with code ${end.exitCode}${last === "" ? "" : `: ${last}`}`);
    }
    case "timed-out":
      return new TimedOut(`${name} took too long`);
    case "signalled":
      return new Error(`${name} was ended by ${end.signal}`);
    case "over-limit":
      return new Error(`${name} used too much (${end.limit})`);
    case "not-started":
      return new Error(`${name} could not be started: ${end.message}`);
    case "aborted":
      return new Error("Stopped.");
    default:
      return end satisfies never;
  }
}
