import type { Logger, Clock, AgentMessage, ModelInfo } from "@factotum/agent-contract";
import { quarantine, viewHistory } from "@factotum/agent-core";
import type { Quarantine } from "@factotum/agent-core";
import type { NewRequest, TranscriptBody, TranscriptStore, TurnStore } from "@factotum/store";
import type { SessionCache } from "../context/session-cache.ts";
import type { PreparedTurn } from "../preparation/prepared-turn.ts";
import { contextMessages } from "../context/read-history.ts";

/** A history item that was quarantined because a provider rejected it (R8). */
export interface QuarantinedItem {
  /** The notice to the person; `undefined` if nothing that a person sent is affected. */
  readonly notice: string | undefined;
  /** Restores the item, for a guess that did not help. `undefined` if the provider itself named the item. */
  readonly undo: TranscriptBody | undefined;
}

/**
 * Quarantines the item that the provider most likely rejected, permanently, so that the turn can continue; `undefined` if no candidate is left. `words`: the
 * provider's error text.
 */
export async function quarantineRejectedItem(
  prepared: PreparedTurn,
  refusal: { readonly words: string; readonly requests: readonly NewRequest[] },
  {
    store,
    cache,
    clock,
    logger,
  }: { readonly store: TranscriptStore & TurnStore; readonly cache: SessionCache; readonly clock: Clock; readonly logger: Logger },
): Promise<QuarantinedItem | undefined> {
  const { turn, model, kept } = prepared;
  const context = contextMessages(await store.readContext(turn.sessionId), { isOpen: true });
  const view = viewHistory(
    context.map(({ message }) => message),
    undefined,
    { ...kept.view, historyLimit: kept.view.historyLimit },
  );
  const sent = context.slice(context.length - view.messages.length);
  const found = quarantine(
    view.messages.map((message) => asGiven(message, model.client.info)),
    { message: refusal.words },
  );
  if (found === undefined) {
    logger.warn("The provider refused the request, and nothing can be left out of it", { sessionKey: turn.sessionKey });
    return undefined;
  }
  const places = found.replaced.flatMap(({ index, message }) => {
    const original = sent[index];
    return original === undefined ? [] : [{ original, entryId: original.entry.id, message }];
  });
  await store.appendToTurn(turn.id, {
    entries: [{ type: "replacement", messages: places.map(({ entryId, message }) => ({ entryId, message })) }],
    requests: refusal.requests,
    timestampMs: clock.now(),
  });
  cache.drop(turn.sessionId);
  logger.warn("Left out what the provider refused", {
    sessionKey: turn.sessionKey,
    item: found.item,
    isGuess: found.isGuess,
    entries: places.map(({ entryId }) => entryId),
  });
  const isTheirs = places.some(({ original }) => original.entry.type === "message" && original.message.role === "user");
  return {
    notice: isTheirs ? NOTICES[found.item] : undefined,
    undo: found.isGuess
      ? { type: "replacement", messages: places.map(({ entryId, original }) => ({ entryId, message: original.message })) }
      : undefined,
  };
}

const NOTICES: Readonly<Record<Quarantine["item"], string | undefined>> = {
  image: "The model's provider refused an image that you had sent, so it is left out from now on.",
  text: "The model's provider refused one of your earlier messages, so it is left out from now on.",
  thinking: undefined,
  "tool-call": undefined,
};

/** The part of a message that this model receives: removing anything else would repeat the same request. */
function asGiven(message: AgentMessage, info: ModelInfo): AgentMessage {
  if (message.role === "assistant") {
    const isOwn = message.provider === info.provider && message.model === info.id && message.api === info.api;
    return isOwn ? message : { ...message, content: message.content.filter(({ type }) => type !== "thinking") };
  }
  if (info.input.includes("image") || !message.content.some(({ type }) => type === "image")) return message;
  return { ...message, content: message.content.filter(({ type }) => type !== "image") };
}
