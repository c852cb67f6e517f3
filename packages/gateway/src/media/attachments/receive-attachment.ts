import { withoutUndefined } from "@factotum/agent-contract";
import type { Logger } from "@factotum/agent-contract";
import type { AttachmentRef } from "@factotum/channel-contract";
import { sniffMedia } from "@factotum/channel-kit";
import { INLINE_MAX_BYTES } from "../media-limits.ts";
import type { MediaStore, StoredMedia } from "../store/media-store.ts";
import type { FetchedAttachment } from "./fetch-attachment.ts";

/** An attachment as this turn can use it. */
export interface ReceivedAttachment {
  /** The platform's name. */
  readonly fileName?: string;
  /** Type of the bytes; absent without bytes. */
  readonly mimeType?: string;
  readonly isImage: boolean;
  /** Absent if it could not be fetched or stored. */
  readonly stored?: StoredMedia;
  /** The bytes if they are few; larger ones are read from the store later. */
  readonly inline?: Uint8Array;
  readonly problem?: "too-large" | "too-many" | "unavailable";
}

/** Detects the type of fetched bytes and stores them for the tools of the conversation. Never rejects: an image that cannot be stored can still be shown. */
export async function receiveAttachment(
  ref: AttachmentRef,
  fetched: FetchedAttachment,
  options: {
    readonly store: MediaStore;
    readonly session: Pick<StoredMedia, "sessionId" | "sessionKey">;
    readonly untrusted: boolean;
    readonly logger: Logger;
  },
): Promise<ReceivedAttachment> {
  const { store, session, untrusted, logger } = options;
  const named = withoutUndefined({ fileName: ref.fileName });
  if (fetched.type === "failed") {
    logger.warn("An attachment was not fetched", { sessionKey: session.sessionKey, kind: ref.kind, reason: fetched.message });
    return { ...named, isImage: false, problem: fetched.reason };
  }
  const { bytes, fileName = ref.fileName } = fetched.media;
  const { kind, mimeType, extension } = await sniffMedia(bytes);
  const facts = { mimeType, isImage: kind === "image", ...withoutUndefined({ fileName }) };
  const small = bytes.length <= INLINE_MAX_BYTES;
  try {
    const stored = await store.put(bytes, { ...session, kind, mimeType, extension, untrusted, ...named });
    return { ...facts, stored, ...(small ? { inline: bytes } : {}) };
  } catch (error) {
    logger.error("An attachment could not be kept; tools cannot read it", { sessionKey: session.sessionKey, error });
    return { ...facts, inline: bytes };
  }
}
