import type { RunFacts } from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";
import type { NewOutbound, OutboxRecord } from "@factotum/store";
import { loadOutbound } from "../media/outbound/load-outbound.ts";
import type { OutboundFile } from "../media/outbound/load-outbound.ts";
import type { TurnServices } from "../turn/turn-services.ts";
import { sendKey } from "./idempotency-key.ts";
import { OUTBOX_TTL_MS } from "./plan-message.ts";

/** Files of one message; those behind are left out, and the model is told. */
const MAX_FILES = 10;

/** Files that one message names. */
export interface NamedMedia {
  readonly named: readonly string[];
  readonly sessionKey: string;
  readonly target: Origin;
  readonly run: RunFacts;
  readonly purpose: OutboxRecord["purpose"];
  /** What makes the message this one and no other. */
  readonly identity: readonly (string | number)[];
  readonly signal: AbortSignal;
}

/** What becomes of them. */
export interface PlannedMedia {
  /** Each a message of its own, behind the text. */
  readonly rows: readonly NewOutbound[];
  /** For the text: those that the chat cannot show, by name. */
  readonly words: readonly string[];
  /** For the model: those that were refused, and why. */
  readonly notes: readonly string[];
}

export const NO_MEDIA: PlannedMedia = { rows: [], words: [], notes: [] };

/** Loads and keeps the files that a message names, and plans their sends. Never rejects for what is or is not there. */
export async function planMedia(
  media: NamedMedia,
  options: { readonly nowMs: number; readonly suppressed: boolean; readonly nextDueMs?: () => number },
  services: Pick<TurnServices, "channels" | "files" | "remoteFiles" | "media">,
): Promise<PlannedMedia> {
  const capabilities = services.channels.channelFor(media.target)?.capabilities;
  if (media.named.length === 0 || capabilities === undefined) return NO_MEDIA;
  // The gateway's own clients show the files of a reply by name, from the conversation.
  if (media.purpose === "reply" && capabilities.addressing === "session-key") return NO_MEDIA;
  const rows: NewOutbound[] = [];
  const words: string[] = [];
  const notes: string[] = [];
  for (const [index, named] of media.named.entries()) {
    const file: OutboundFile =
      index < MAX_FILES
        ? await loadOutbound(named, {
            files: services.files,
            remote: services.remoteFiles,
            run: media.run,
            media: capabilities.media,
            signal: media.signal,
          })
        : { type: "refused", fileName: named, why: `no more than ${MAX_FILES} files go with one message` };
    if (file.type === "words") words.push(`📎 ${file.fileName} (this chat cannot show it)`);
    else if (file.type === "refused") notes.push(`${named} was not sent: ${file.why}.`);
    else {
      const { bytes, kind, mimeType, fileName } = file;
      rows.push({
        sessionKey: media.sessionKey,
        target: media.target,
        outbound: { type: "media", file: await services.media.outbound.put(bytes), kind, mimeType, fileName, text: `📎 ${fileName}` },
        purpose: media.purpose,
        idempotencyKey: sendKey(...media.identity, "media", index),
        dueAtMs: options.nextDueMs?.() ?? options.nowMs,
        expiresAtMs: options.nowMs + OUTBOX_TTL_MS,
        state: options.suppressed ? "suppressed" : "waiting",
      });
    }
  }
  return { rows, words, notes };
}
