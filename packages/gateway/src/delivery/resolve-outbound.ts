import type { Media, MessageId, Outbound } from "@factotum/channel-contract";
import { StoreError } from "@factotum/store";
import type { OutboxRecord, Store, StoredFile } from "@factotum/store";
import { withoutUndefined } from "@factotum/agent-contract";
import { unsentFile } from "../media/media-words.ts";

/** Resolves the references of stored rows. */
export interface OutboundSources {
  readonly store: Pick<Store, "readOutbound">;
  /** The bytes of a stored file; `undefined` if it is gone. */
  readonly readFile: (file: string) => Promise<Uint8Array | undefined>;
}

/**
 * Resolves a row for its channel; `undefined` if there is nothing to do, because the message to remove was never shown. A stream is finished by its own step
 * in the first attempt, and by an edit in later ones, because it is unknown then what the platform has of it.
 */
export async function resolveOutbound(
  { outbound }: OutboxRecord,
  sources: OutboundSources,
  { isFirstAttempt = false }: { readonly isFirstAttempt?: boolean } = {},
): Promise<Outbound | undefined> {
  switch (outbound.type) {
    case "text":
      return outbound;
    case "card": {
      const { text: _substitute, ...card } = outbound;
      return card;
    }
    case "poll":
      return { type: "poll", poll: outbound.poll };
    case "reaction": {
      const { targetId, emoji, removed } = outbound;
      return { type: "reaction", targetId, emoji, removed };
    }
    case "edit-card": {
      const targetId = await messageOf(outbound.of, sources);
      return targetId === undefined ? { type: "card", card: outbound.card } : { type: "edit-card", targetId, card: outbound.card };
    }
    case "album": {
      const files = await Promise.all(outbound.files.map(async (file) => loadFile(file, sources)));
      const media = files.filter((file) => file !== undefined);
      if (media.length < files.length) return asText({ text: unsentFile(outbound.text) });
      return { type: "album", media, ...withoutUndefined({ silent: outbound.silent }) };
    }
    case "edit": {
      const targetId = await messageOf(outbound.of, sources);
      const { text, streamed } = outbound;
      if (targetId === undefined) return asText(outbound);
      return streamed === undefined || !isFirstAttempt
        ? { type: "edit", targetId, text }
        : { type: "stream", targetId, text, added: text.slice(streamed), isLast: true };
    }
    case "delete": {
      const targetId = await messageOf(outbound.of, sources);
      return targetId === undefined ? undefined : { type: "delete", targetId };
    }
    case "media": {
      const media = await loadFile(outbound, sources);
      const { replyTo, silent } = outbound;
      if (media === undefined) return asText({ ...outbound, text: unsentFile(outbound.text) });
      return { type: "media", media, ...withoutUndefined({ replyTo, silent }) };
    }
  }
}

async function loadFile({ file, kind, mimeType, fileName }: StoredFile, { readFile }: OutboundSources): Promise<Media | undefined> {
  const bytes = await readFile(file);
  return bytes === undefined ? undefined : { kind, mimeType, fileName, bytes };
}

function asText({ text, replyTo }: { readonly text: string; readonly replyTo?: MessageId }): Extract<Outbound, { type: "text" }> {
  return { type: "text", text, ...withoutUndefined({ replyTo }) };
}

/** The platform message that a row was sent as. */
async function messageOf(id: string, { store }: OutboundSources): Promise<MessageId | undefined> {
  try {
    const row = await store.readOutbound(id);
    return row?.state.type === "accepted" ? row.state.messageIds[0] : undefined;
  } catch (error) {
    if (StoreError.isInstance(error) && error.code === "damaged") return undefined;
    throw error;
  }
}
