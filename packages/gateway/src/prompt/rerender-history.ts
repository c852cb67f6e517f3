import { rerenderMessages, sentForm } from "@factotum/agent-core";
import { withoutUndefined } from "@factotum/agent-contract";
import type { AgentMessage } from "@factotum/agent-contract";
import type { Store, TranscriptBody, TranscriptEntry, TranscriptStore } from "@factotum/store";
import { contextMessages, isReplacedSinceAnswer, HISTORY_BOUNDS, readHistory, replacedMessages } from "../context/read-history.ts";
import type { HistoryOptions } from "../context/read-history.ts";
import { rerenderOptions } from "./rerender-options.ts";
import type { ResolvedPrompt } from "./prompt-resolver.ts";
import type { SessionContext } from "../conversation/session-context.ts";
import type { SessionCache } from "../context/session-cache.ts";

type Replacement = Extract<TranscriptBody, { type: "replacement" }>;
type MessageEntry = Extract<TranscriptEntry, { type: "message" }>;

/** Which turns are older, and how they are shown. */
interface RerenderHistoryOptions extends HistoryOptions {
  /** A turn that goes on is no older turn: its messages stay as they were sent. */
  readonly exceptTurn?: string;
}

/** A history whose older turns were rendered again. */
export interface RerenderedHistory {
  readonly messages: readonly AgentMessage[];
  /** A provider's refusal changed it since the last answer. */
  readonly isReplaced: boolean;
  /** To be stored before anything is sent; `undefined` when every message stays as it is. */
  readonly replacement: Replacement | undefined;
}

/** The history as it is stored; at a named cause with its older turns rendered again, which is stored with the turn. */
export async function readShownHistory(
  prompt: Pick<ResolvedPrompt, "isNew" | "record">,
  context: SessionContext,
  parts: { readonly cache: SessionCache; readonly store: TranscriptStore },
  openTurn?: string,
): Promise<RerenderedHistory> {
  if (context.record === undefined) return { messages: [], isReplaced: false, replacement: undefined };
  const options = { isOpen: openTurn !== undefined };
  if (!prompt.isNew || prompt.record.cause === "new-session")
    return { ...(await readHistory(context.sessionId, parts, options)), replacement: undefined };
  return rerenderHistory(context, { ...options, ...withoutUndefined({ exceptTurn: openTurn }) }, parts);
}

/**
 * Renders the older turns of a session again, at a named cause. Each time it starts from the messages as they were sent, so what an earlier
 * cause left out for its own sake (a channel's name, the end of a long result) comes back; what a provider refused stays out.
 */
async function rerenderHistory(
  context: Pick<SessionContext, "sessionId" | "model" | "channel">,
  options: RerenderHistoryOptions,
  { store }: { readonly store: Pick<Store, "readRecentContext"> },
): Promise<RerenderedHistory> {
  const { sessionId } = context;
  const { entries } = await store.readRecentContext(sessionId, HISTORY_BOUNDS);
  const current = replacedMessages(entries);
  const refused = replacedMessages(entries.filter((entry) => entry.type === "replacement" && entry.rerendered !== true));
  const older = entries.filter((entry): entry is MessageEntry => entry.type === "message" && entry.turnId !== (options.exceptTurn ?? ""));
  const rendered = rerenderMessages(
    older.map(({ id, message }) => refused.get(id) ?? message),
    rerenderOptions(context),
  );
  const changed = older.flatMap((entry, index) => {
    const message = rendered[index] ?? entry.message;
    const shown = current.get(entry.id) ?? entry.message;
    return message === shown || sentForm(message) === sentForm(shown) ? [] : [{ entryId: entry.id, message }];
  });
  const replacement: Replacement | undefined =
    changed.length === 0 ? undefined : { type: "replacement", messages: changed, rerendered: true };
  const after = replacement === undefined ? entries : [...entries, { ...replacement, id: "", sessionId, timestampMs: 0 }];
  return {
    messages: contextMessages(after, options).map(({ message }) => message),
    isReplaced: isReplacedSinceAnswer(entries),
    replacement,
  };
}
