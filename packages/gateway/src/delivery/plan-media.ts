import { withoutUndefined } from "@factotum/agent-contract";
import type { RunFacts, Clock, Logger } from "@factotum/agent-contract";
import type { ChannelCapabilities, Origin } from "@factotum/channel-contract";
import type { NewOutbound, OutboxRecord, StoredOutbound } from "@factotum/store";
import { loadOutbound } from "../media/outbound/load-outbound.ts";
import type { OutboundFile } from "../media/outbound/load-outbound.ts";
import { isStorageFull } from "../storage/is-storage-full.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { LocalFiles } from "../media/local-files.ts";
import type { MediaStage } from "../media/media-stage.ts";
import type { RemoteFiles } from "../media/remote-files.ts";
import type { StorageGuard } from "../storage/storage-guard.ts";
import { raceAbort } from "../kernel/race-abort.ts";
import { sendKey } from "../kernel/idempotency-key.ts";
import { unsentFile } from "../media/media-words.ts";
import { isRecording } from "./is-recording.ts";
import { isOwnAddress } from "./plan-message.ts";
import { OUTBOX_TTL_MS } from "./retry-policy.ts";

/** Maximum files of one message; further ones are omitted, and the model is notified. */
export const MAX_FILES: number = 10;

/** The files that one message names. */
export interface NamedMedia {
  readonly named: readonly string[];
  readonly sessionKey: string;
  readonly target: Origin;
  readonly run: RunFacts;
  /** True if the run may fetch web files (R23). */
  readonly mayFetch: boolean;
  readonly purpose: OutboxRecord["purpose"];
  /** Without a notification. */
  readonly silent?: boolean;
  /** Identifies the message, for its idempotency keys. */
  readonly identity: readonly (string | number)[];
  readonly signal: AbortSignal;
}

/** The planned sends of a message's files. */
export interface PlannedMedia {
  /** Rows of their own, after the text. */
  readonly rows: readonly NewOutbound[];
  /** Names, for the text, of files that the chat cannot show or that could not be sent. */
  readonly words: readonly string[];
  /** One line for each file that was not sent, with the reason: for the transcript and the model. */
  readonly failures: readonly string[];
}

export const NO_MEDIA: PlannedMedia = { rows: [], words: [], failures: [] };

/** Loads and stores the files that a message names, and plans their sends. Never rejects for a missing or unreadable file. */
export async function planMedia(
  media: NamedMedia,
  options: { readonly nowMs: number; readonly suppressed: boolean; readonly nextDueMs?: () => number },
  parts: {
    readonly channels: ChannelRegistry;
    readonly files: LocalFiles;
    readonly remoteFiles: RemoteFiles;
    readonly media: MediaStage;
    readonly storage: StorageGuard;
    readonly logger: Logger;
    readonly clock: Clock;
  },
): Promise<PlannedMedia> {
  const capabilities = parts.channels.channelFor(media.target)?.capabilities;
  // The gateway's own clients show the files of a reply by name, from the transcript.
  const isShown = isOwnAddress(media.target, parts.channels) && (media.purpose === "reply" || capabilities === undefined);
  if (media.named.length === 0) return NO_MEDIA;
  if (isShown) return planShown(media, parts);
  const rows: NewOutbound[] = [];
  const words: string[] = [];
  const failures: string[] = [];
  for (const [index, named] of media.named.entries()) {
    const file: OutboundFile =
      index < MAX_FILES
        ? // Capabilities of a disconnected chat are unknown until it reconnects.
          await load(named, media, capabilities?.media ?? [], parts)
        : { type: "refused", fileName: named, why: `no more than ${MAX_FILES} files go with one message` };
    if (file.type === "words") words.push(`📎 ${file.fileName} (this chat cannot show it)`);
    else if (file.type === "refused") {
      failures.push(`${named} was not sent: ${file.why}.`);
      if (index < MAX_FILES) words.push(unsentFile(`📎 ${file.fileName}`));
    } else {
      const { bytes, kind, mimeType, fileName } = file;
      const id = await keep(bytes, parts);
      if (id === undefined) {
        failures.push(`${named} was not sent: the disk could not keep it.`);
        words.push(unsentFile(`📎 ${fileName}`));
        continue;
      }
      rows.push({
        sessionKey: media.sessionKey,
        target: media.target,
        outbound: {
          type: "media",
          file: id,
          kind,
          mimeType,
          fileName,
          ...(capabilities?.voiceMessages === true && isRecording(bytes) && { voice: true }),
          text: `📎 ${fileName}`,
          ...withoutUndefined({ silent: media.silent }),
        },
        purpose: media.purpose,
        idempotencyKey: sendKey(...media.identity, "media", index),
        dueAtMs: options.nextDueMs?.() ?? options.nowMs,
        expiresAtMs: options.nowMs + OUTBOX_TTL_MS,
        state: options.suppressed ? "suppressed" : "waiting",
      });
    }
  }
  logFailures(failures, media, parts);
  const excess = media.named.length - MAX_FILES;
  if (excess > 0) words.push(`📎 ${excess} more ${excess === 1 ? "file" : "files"} (could not be sent)`);
  return { rows: joinAlbums(rows, capabilities?.limits?.filesPerMessage ?? 1), words, failures };
}

/** For clients that show files by name: nothing is sent, but what may not be sent is reported too. Nothing is read. */
async function planShown(media: NamedMedia, parts: Parameters<typeof load>[3] & { readonly logger: Logger }): Promise<PlannedMedia> {
  const failures: string[] = [];
  for (const named of media.named) {
    const file = await load(named, media, [], parts);
    if (file.type === "refused") failures.push(`${named} was not sent: ${file.why}.`);
  }
  logFailures(failures, media, parts);
  return failures.length === 0 ? NO_MEDIA : { ...NO_MEDIA, failures };
}

function logFailures(failures: readonly string[], { sessionKey }: NamedMedia, { logger }: { readonly logger: Logger }): void {
  for (const reason of failures) logger.warn("A file that an answer names was not sent", { sessionKey, reason });
}

/** Puts the files that follow each other into as few messages as the platform allows. */
function joinAlbums(rows: readonly NewOutbound[], filesPerMessage: number): readonly NewOutbound[] {
  if (filesPerMessage < 2) return rows;
  const joined: NewOutbound[] = [];
  for (let at = 0; at < rows.length; at += filesPerMessage) {
    const group = rows.slice(at, at + filesPerMessage);
    const [first] = group;
    if (first === undefined) continue;
    joined.push(group.length === 1 ? first : { ...first, outbound: albumOf(group) });
  }
  return joined;
}

function albumOf(rows: readonly NewOutbound[]): StoredOutbound {
  const media = rows.flatMap(({ outbound }) => (outbound.type === "media" ? [outbound] : []));
  const files = media.map(({ file, kind, mimeType, fileName, voice }) => ({
    file,
    kind,
    mimeType,
    fileName,
    ...withoutUndefined({ voice }),
  }));
  const silent = media[0]?.silent;
  return { type: "album", files, text: media.map(({ text }) => text).join("\n"), ...withoutUndefined({ silent }) };
}

/** Loads a file until the signal fires, even if its source ignores the signal. */
async function load(
  named: string,
  { run, mayFetch, signal }: NamedMedia,
  media: ChannelCapabilities["media"],
  { files, remoteFiles, clock }: { readonly files: LocalFiles; readonly remoteFiles: RemoteFiles; readonly clock: Clock },
): Promise<OutboundFile> {
  const late: OutboundFile = { type: "refused", fileName: named, why: "it could not be had in time" };
  if (signal.aborted) return late;
  try {
    return await raceAbort(loadOutbound(named, { files, remote: remoteFiles, run, mayFetch, media, signal }), { signal, clock });
  } catch (error) {
    if (signal.aborted) return late;
    throw error;
  }
}

/** Stores a file. On a full disk it waits for space, like every write that running work depends on (R30); `undefined` if the disk fails otherwise. */
async function keep(
  bytes: Uint8Array,
  { media, storage, logger }: { readonly media: MediaStage; readonly storage: StorageGuard; readonly logger: Logger },
): Promise<string | undefined> {
  try {
    return await storage.hold(async () => media.outbound.put(bytes));
  } catch (error) {
    if (isStorageFull(error)) throw error;
    logger.error("A file on its way to a chat could not be kept", { error });
    return undefined;
  }
}
