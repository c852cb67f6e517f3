import type { Logger, RunFacts } from "@factotum/agent-contract";
import type { MediaFacts } from "@factotum/agent-core";
import type { AttachmentRef } from "@factotum/channel-contract";
import type { ReceivedAttachment } from "../attachments/receive-attachment.ts";
import type { MediaStore } from "../store/media-store.ts";
import type { Transcriber } from "./transcriber.ts";

/** What became of a message's recordings. */
export interface SpokenAttachments {
  /** One for each attachment; `undefined` for one that is no recording, and without a configured transcription. */
  readonly facts: readonly MediaFacts["transcription"][];
  /** In the order of sending. */
  readonly transcripts: readonly string[];
  /** For the owner. */
  readonly problems: readonly string[];
}

/** Recordings of one message that are transcribed, one after the other. */
const MAX_RECORDINGS = 4;

/** Transcribes the recordings among received attachments. Rejects only at a shutdown. */
export async function transcribeAll(
  received: readonly ReceivedAttachment[],
  refs: readonly AttachmentRef[],
  options: {
    readonly transcriber: Transcriber;
    readonly store: Pick<MediaStore, "read">;
    readonly run: RunFacts;
    readonly signal: AbortSignal;
    readonly logger: Logger;
  },
): Promise<SpokenAttachments> {
  const { transcriber, store, run, signal, logger } = options;
  const facts: MediaFacts["transcription"][] = [];
  const transcripts: string[] = [];
  const problems: string[] = [];
  let recordings = 0;
  for (const [index, attachment] of received.entries()) {
    const kind = transcriber.isConfigured ? recordingKind(attachment, refs[index]) : "other";
    if (kind === "other") facts.push(undefined);
    else if (kind === "not-audio") facts.push("not-audio");
    else if (recordings === MAX_RECORDINGS) facts.push("too-many");
    else {
      recordings += 1;
      const bytes = await readBytes(attachment, store, logger);
      if (bytes === undefined) {
        facts.push("failed");
        continue;
      }
      const recording = {
        bytes,
        mimeType: attachment.mimeType ?? "",
        ...(attachment.stored === undefined ? {} : { path: attachment.stored.path }),
      };
      const outcome = await transcriber.transcribe(recording, { run, signal });
      if (outcome.type === "transcribed") transcripts.push(outcome.text);
      else if (outcome.reason !== "no-speech") problems.push(outcome.message);
      facts.push(outcome.type === "transcribed" ? "done" : outcome.reason);
    }
  }
  return { facts, transcripts, problems };
}

/** By the bytes: what a platform calls audio may be anything. Some recorders use a container that also holds video. */
function recordingKind({ mimeType, problem }: ReceivedAttachment, ref: AttachmentRef | undefined): "recording" | "not-audio" | "other" {
  if (mimeType === undefined || problem !== undefined) return "other";
  if (mimeType.startsWith("audio/")) return "recording";
  if (ref?.kind !== "audio") return "other";
  return mimeType.startsWith("video/") ? "recording" : "not-audio";
}

async function readBytes(
  { inline, stored }: ReceivedAttachment,
  store: Pick<MediaStore, "read">,
  logger: Logger,
): Promise<Uint8Array | undefined> {
  if (inline !== undefined) return inline;
  if (stored === undefined) return undefined;
  try {
    return await store.read(stored);
  } catch (error) {
    logger.warn("A recording could not be read", { error });
    return undefined;
  }
}
