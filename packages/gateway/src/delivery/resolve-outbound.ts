import type { Media, MessageId, Outbound } from "@factotum/channel-contract";
import { StoreError } from "@factotum/store";
import type { OutboxRecord, Store, StoredFile, StoredOutbound } from "@factotum/store";
import { withoutUndefined } from "@factotum/agent-contract";
import { unsentFile } from "../media/media-words.ts";

/** Every kind of outbound has rows, except those that are of use only at the moment: one that is added to the contract is a type error in the tables by kind. */
export type RowKind = Exclude<Outbound["type"], "stream" | "typing">;

/** Resolves the references of stored rows. */
export interface OutboundSources {
  readonly store: Pick<Store, "readOutbound">;
  /** The bytes of a stored file; `undefined` if it is gone. */
  readonly readFile: (file: string) => Promise<Uint8Array | undefined>;
}

/**
 * Resolves a row for its channel; `undefined` if there is nothing to do, because the message to remove was never shown. A stream is finished by its own step
 * in the first attempt, and by an edit in later ones, because it is unknown then what the platform has of it. After a move of the conversation (`movedAtMs`)
 * the ids of earlier messages mean nothing, or other messages: an edit becomes a new message, a reaction or a removal nothing, and nothing is a reply.
 */
export async function resolveOutbound(
  row: OutboxRecord,
  sources: OutboundSources,
  { isFirstAttempt = false, movedAtMs }: { readonly isFirstAttempt?: boolean; readonly movedAtMs?: number } = {},
): Promise<Outbound | undefined> {
  const outbound = movedAtMs === undefined ? row.outbound : withoutReply(row.outbound);
  const messageOf = async (id: string): Promise<MessageId | undefined> => findMessage(id, sources, movedAtMs);
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
      if (movedAtMs !== undefined) return undefined;
      return { type: "reaction", targetId, emoji, removed };
    }
    case "edit-card": {
      const targetId = await messageOf(outbound.of);
      return targetId === undefined ? { type: "card", card: outbound.card } : { type: "edit-card", targetId, card: outbound.card };
    }
    case "album": {
      const files = await Promise.all(outbound.files.map(async (file) => loadFile(file, sources)));
      const media = files.filter((file) => file !== undefined);
      if (media.length < files.length) return asText({ text: unsentFile(outbound.text) });
      return { type: "album", media, ...withoutUndefined({ silent: outbound.silent }) };
    }
    case "edit": {
      const targetId = await messageOf(outbound.of);
      const { text, streamed } = outbound;
      if (targetId === undefined) return asText(outbound);
      return streamed === undefined || !isFirstAttempt
        ? { type: "edit", targetId, text }
        : { type: "stream", targetId, text, added: text.slice(streamed), isLast: true };
    }
    case "delete": {
      const targetId = await messageOf(outbound.of);
      return targetId === undefined ? undefined : { type: "delete", targetId };
    }
    case "media": {
      const media = await loadFile(outbound, sources);
      const { caption, replyTo, silent } = outbound;
      if (media === undefined) return asText({ ...outbound, text: unsentFile(outbound.text) });
      return { type: "media", media, ...withoutUndefined({ caption, replyTo, silent }) };
    }
  }
}

async function loadFile({ file, kind, mimeType, fileName, voice }: StoredFile, { readFile }: OutboundSources): Promise<Media | undefined> {
  const bytes = await readFile(file);
  return bytes === undefined ? undefined : { kind, mimeType, fileName, bytes, ...withoutUndefined({ voice }) };
}

function asText({ text, replyTo }: { readonly text: string; readonly replyTo?: MessageId }): Extract<Outbound, { type: "text" }> {
  return { type: "text", text, ...withoutUndefined({ replyTo }) };
}

function withoutReply(outbound: StoredOutbound): StoredOutbound {
  if (!("replyTo" in outbound)) return outbound;
  const { replyTo: _replyTo, ...independent } = outbound;
  return independent;
}

/** The platform message that a row was sent as; `undefined` for one from before a move. */
async function findMessage(id: string, { store }: OutboundSources, movedAtMs = 0): Promise<MessageId | undefined> {
  try {
    const row = await store.readOutbound(id);
    if (row !== undefined && row.createdAtMs < movedAtMs) return undefined;
    return row?.state.type === "accepted" ? row.state.messageIds[0] : undefined;
  } catch (error) {
    if (StoreError.isInstance(error) && error.code === "damaged") return undefined;
    throw error;
  }
}
