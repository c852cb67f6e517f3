import { readInputs } from "../queue/asking-turn.ts";
import type { Clock, Logger, RunFacts } from "@factotum/agent-contract";
import type { Store, NewOutbound, TurnRecord } from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { sendKey } from "../kernel/idempotency-key.ts";
import type { MediaStage } from "../media/media-stage.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import { isRecording } from "./is-recording.ts";
import { isOwnAddress } from "./plan-message.ts";
import { OUTBOX_TTL_MS } from "./retry-policy.ts";
import { speakableText } from "./speakable-text.ts";

/** When answers of a conversation are spoken. */
export type SpeechMode = "off" | "always" | "inbound" | "tagged";

/** The dependencies of spoken answers. */
export interface SpeechParts {
  readonly store: Pick<Store, "readSession" | "readInput">;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly media: MediaStage;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A spoken answer. */
export interface PlannedSpeech {
  readonly row: NewOutbound;
  /** The listener gets all of it as a voice message: the text need not be sent, and is what is sent if the platform refuses the recording. */
  readonly replacesText: boolean;
}

/** Speaks an answer if its conversation wants that; `undefined` if it does not, or if it fails, which the text is not affected by. */
export async function planSpeech(
  answer: {
    readonly turn: TurnRecord;
    readonly text: string;
    /** The model marked it with `[[tts]]`. */
    readonly isMarked: boolean;
    /** A part of the text has been shown. */
    readonly isShown: boolean;
    readonly run: RunFacts;
    readonly signal: AbortSignal;
  },
  { nowMs, suppressed }: { readonly nowMs: number; readonly suppressed: boolean },
  parts: SpeechParts,
): Promise<PlannedSpeech | undefined> {
  const { turn, text, run, signal } = answer;
  const { media, channels, running, logger } = parts;
  if (suppressed || !media.speaker.isConfigured || !RUN_POLICY[turn.kind].isFromPerson || isOwnAddress(turn.origin, channels))
    return undefined;
  const capabilities = channels.channelFor(turn.origin)?.capabilities;
  const takesAudio = capabilities?.media.some(({ kind }) => kind === "audio" || kind === "file") === true;
  if (!takesAudio || !(await wantsSpeech(answer, parts))) return undefined;
  const { text: words, isWhole } = speakableText(text, running.config.messages.tts.maxChars);
  if (words === "") return undefined;
  const audio = await media.speaker.speak(words, { run, signal });
  if (audio === undefined) return undefined;
  const kind = (["audio", "file"] as const).find((one) =>
    capabilities.media.some((taken) => taken.kind === one && audio.bytes.length <= taken.maxBytes),
  );
  if (kind === undefined) {
    logger.warn("A spoken answer is too large for its chat", { sessionKey: turn.sessionKey, bytes: audio.bytes.length });
    return undefined;
  }
  const isVoice = kind === "audio" && capabilities.voiceMessages === true && isRecording(audio.bytes);
  // A recording alone does not say which of several agents speaks.
  const replacesText = isVoice && isWhole && !answer.isShown && turn.origin.speaker === undefined;
  const fileName = `answer.${audio.extension}`;
  return {
    replacesText,
    row: {
      sessionKey: turn.sessionKey,
      target: turn.origin,
      outbound: {
        type: "media",
        file: await media.outbound.put(audio.bytes),
        kind,
        mimeType: audio.mimeType,
        fileName,
        ...(isVoice && { voice: true }),
        text: replacesText ? text : `📎 ${fileName}`,
      },
      purpose: "reply",
      idempotencyKey: sendKey("turn", turn.id, "reply", "speech"),
      dueAtMs: nowMs,
      expiresAtMs: nowMs + OUTBOX_TTL_MS,
      state: "waiting",
    },
  };
}

async function wantsSpeech(
  { turn, isMarked }: { readonly turn: TurnRecord; readonly isMarked: boolean },
  { store, running }: SpeechParts,
): Promise<boolean> {
  const session = await store.readSession(turn.sessionKey);
  const mode: SpeechMode = session?.overrides.tts ?? running.config.messages.tts.auto;
  switch (mode) {
    case "off":
      return false;
    case "always":
      return true;
    case "tagged":
      return isMarked;
    case "inbound": {
      const inputs = await readInputs(turn, store);
      return inputs.some(({ message }) => message.attachments.some(({ kind }) => kind === "audio"));
    }
    default:
      return mode satisfies never;
  }
}
