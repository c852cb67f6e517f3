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

/** Which turns are older, and how they are rendered. */
interface RerenderHistoryOptions extends HistoryOptions {
  /** A resumed turn, whose messages stay as they were sent. */
  readonly exceptTurn?: string;
}

/** A history with re-rendered older turns. */
export interface RerenderedHistory {
  readonly messages: readonly AgentMessage[];
  /** A provider's refusal changed it since the last answer. */
  readonly isReplaced: boolean;
  /** To be stored before anything is sent; `undefined` if no message changed. */
  readonly replacement: Replacement | undefined;
}

/** The stored history; at a named cause with re-rendered older turns, which are stored with the turn. */
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
 * Re-renders the older turns of a session, at a named cause. It always starts from the originals, so what an earlier cause removed (a channel's name, the end
 * of a long result) returns; quarantined items stay out.
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
