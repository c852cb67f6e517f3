import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ModelError, NO_USAGE } from "@factotum/agent-contract";
import type { Clock, CommandRunner, Logger, RunFacts } from "@factotum/agent-contract";
import { sniffMedia, type SniffedMedia } from "@factotum/channel-kit";
import { speakText } from "@factotum/models";
import type { RunningConfig } from "../../agents/running-config.ts";
import { raceAbort } from "../../kernel/race-abort.ts";
import type { MediaProblems } from "../../observe/media-problems.ts";
import type { SpendGuard } from "../../spend/spend-guard.ts";

/** A spoken text. */
export interface SpokenAudio extends Pick<SniffedMedia, "mimeType" | "extension"> {
  readonly bytes: Uint8Array;
}

/** What speaking a text came to; `message` says why it failed. */
export type SpeechOutcome =
  | { readonly type: "spoken"; readonly audio: SpokenAudio }
  | { readonly type: "failed"; readonly message: string };

/** The dependencies of speech. */
export interface SpeakerOptions {
  readonly running: RunningConfig;
  readonly spend: Pick<SpendGuard, "reserve">;
  /** Runs espeak-ng on the host. */
  readonly commands: CommandRunner;
  readonly problems: MediaProblems;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The provider that is a program of this computer. */
const ESPEAK = "espeak-ng";
const TIMEOUT_MS = 30_000;
const MAX_BYTES = 25 * 1024 * 1024;

/** Speaks texts, as `messages.tts` says. */
export class Speaker {
  readonly #options: SpeakerOptions;

  constructor(options: SpeakerOptions) {
    this.#options = options;
  }

  /** True if the configuration names a provider. */
  get isConfigured(): boolean {
    return this.#options.running.config.messages.tts.provider !== undefined;
  }

  /** Speaks an answer without markup: `undefined` if it fails, and the reason is logged. See `attempt`. Never rejects. */
  async speak(text: string, options: { readonly run: RunFacts; readonly signal: AbortSignal }): Promise<SpokenAudio | undefined> {
    const outcome = await this.attempt(text, options);
    if (outcome.type === "spoken") return outcome.audio;
    if (!options.signal.aborted)
      this.#options.logger.warn("An answer was not spoken", { sessionKey: options.run.sessionKey, detail: outcome.message });
    return undefined;
  }

  /**
   * Speaks a text without markup; charges the call to the run. `voice` replaces the configured one. Never rejects. The owner is shown a failure as a warning
   * until a text is spoken.
   */
  async attempt(
    text: string,
    { run, signal: outer, voice }: { readonly run: RunFacts; readonly signal: AbortSignal; readonly voice?: string | undefined },
  ): Promise<SpeechOutcome> {
    const { clock, problems } = this.#options;
    const limit = new AbortController();
    using _timer = clock.schedule(TIMEOUT_MS, () => limit.abort(new Error(`messages.tts took longer than ${TIMEOUT_MS / 1000} s`)));
    const signal = AbortSignal.any([outer, limit.signal]);
    try {
      const bytes = await raceAbort(this.#ask(text, voice, { run, signal }), { signal, clock });
      const { kind, mimeType, extension } = await sniffMedia(bytes);
      if (kind !== "audio") throw new Error(`messages.tts.provider sent ${mimeType} in place of audio`);
      problems.clear("speech");
      return { type: "spoken", audio: { bytes, mimeType, extension } };
    } catch (error) {
      if (outer.aborted) return { type: "failed", message: "it was stopped" };
      const cause: unknown = limit.signal.aborted ? limit.signal.reason : error;
      const message = cause instanceof Error ? cause.message : "it failed for an unknown reason";
      // An unknown voice is the caller's fault, not the installation's.
      if (voice === undefined) problems.record("speech", message);
      return { type: "failed", message };
    }
  }

  async #ask(
    text: string,
    asked: string | undefined,
    options: { readonly run: RunFacts; readonly signal: AbortSignal },
  ): Promise<Uint8Array> {
    const { provider, voice: usual } = this.#options.running.config.messages.tts;
    const voice = asked ?? usual;
    if (provider === undefined)
      throw new Error("nothing that speaks is configured: the owner has to set messages.tts.provider, to a model or to espeak-ng");
    return provider === ESPEAK ? this.#askEspeak(text, voice, options) : this.#askModel(text, { provider, voice }, options);
  }

  async #askModel(
    text: string,
    { provider, voice }: { readonly provider: string; readonly voice: string | undefined },
    { run, signal }: { readonly run: RunFacts; readonly signal: AbortSignal },
  ): Promise<Uint8Array> {
    const { running, spend } = this.#options;
    const connection = await running.models.mediaConnection(provider);
    const reservation = await spend.reserve({ agentId: run.agentId, kind: run.kind }, Math.ceil(text.length / 4));
    if (reservation.type === "refused") throw new ModelError("budget", reservation.message, { retry: { type: "never" } });
    try {
      return await speakText(connection, { text, voice }, { signal });
    } finally {
      // Providers charge by the character or the minute, and report no tokens.
      reservation.settle(NO_USAGE);
    }
  }

  /** By files: a text among the arguments would be visible to every user of the computer, and audio is no text output. */
  async #askEspeak(
    text: string,
    voice: string | undefined,
    { run: { sandbox: _sandbox, ...run }, signal }: { readonly run: RunFacts; readonly signal: AbortSignal },
  ): Promise<Uint8Array> {
    const folder = await mkdtemp(path.join(tmpdir(), "factotum-speech-"));
    try {
      const [words, audio] = [path.join(folder, "text"), path.join(folder, "audio.wav")];
      await writeFile(words, text);
      const { end, output } = await this.#options.commands.run(
        {
          command: { type: "argv", file: ESPEAK, args: [...(voice === undefined ? [] : ["-v", voice]), "-f", words, "-w", audio] },
          cwd: run.workspace,
          env: {},
          timeoutMs: TIMEOUT_MS,
          maxOutputBytes: 4096,
        },
        { signal, run, onOutput: () => undefined },
      );
      if (end.type === "not-started") throw new Error(`espeak-ng could not be started (${end.message}); install the package espeak-ng`);
      if (end.type !== "exited" || end.exitCode !== 0) throw new Error(`espeak-ng failed (${end.type}): ${output.trim().slice(0, 200)}`);
      if ((await stat(audio)).size > MAX_BYTES) throw new Error("espeak-ng wrote more than 25 MiB");
      return await readFile(audio);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}
