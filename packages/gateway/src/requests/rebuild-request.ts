import { beginsTurn, projectMessages, viewHistory } from "@factotum/agent-core";
import type { AgentMessage, ModelRequest } from "@factotum/agent-contract";
import type { PromptRecord, RequestRecord, Store, TranscriptEntry } from "@factotum/store";
import { contextMessages } from "../context/read-history.ts";
import { MessageDigests } from "./message-digests.ts";

/** A kept request, whole again. */
export interface RebuiltRequest {
  readonly request: ModelRequest;
  /** What was rendered when, and of which sections. */
  readonly prompt: Pick<PromptRecord, "cause" | "renderedAtMs" | "outline">;
  /** Where the turn's own message stands; -1 when it is not there any more. */
  readonly promptIndex: number;
  /** The messages are those that were sent, by their fingerprint. */
  readonly exact: boolean;
}

/**
 * Puts a request together again from the prompt and the transcript: both are append-only, and how the history was shown is kept with the request.
 * `undefined` when the prompt is gone.
 */
export async function rebuildRequest(
  record: RequestRecord,
  store: Pick<Store, "readPrompt" | "readContext" | "readTurn" | "readRequestBody">,
): Promise<RebuiltRequest | undefined> {
  if (record.promptHash === undefined) return withOwnBody(record, store);
  const [prompt, entries, turn] = await Promise.all([
    store.readPrompt(record.sessionId, { hash: record.promptHash, notAfterMs: record.sentAtMs }),
    store.readContext(record.sessionId, { at: record.lastEntryId }),
    store.readTurn(record.turnId),
  ]);
  if (prompt === undefined) return undefined;
  const { messages, promptIndex } = shownMessages(entries, record, turn?.startedAtMs);
  return {
    request: { ...record.settings, system: prompt.system, messages, tools: prompt.tools },
    prompt,
    promptIndex,
    exact: new MessageDigests().of(messages) === record.messages.digest,
  };
}

/** A request that brought its texts along. */
async function withOwnBody(record: RequestRecord, store: Pick<Store, "readRequestBody">): Promise<RebuiltRequest | undefined> {
  const body = await store.readRequestBody(record.id);
  if (body === undefined) return undefined;
  return {
    request: { ...record.settings, ...body },
    prompt: { cause: record.kind, renderedAtMs: record.sentAtMs },
    promptIndex: body.messages.length - 1,
    exact: new MessageDigests().of(body.messages) === record.messages.digest,
  };
}

function shownMessages(
  entries: readonly TranscriptEntry[],
  record: RequestRecord,
  startedAtMs: number | undefined,
): { readonly messages: readonly AgentMessage[]; readonly promptIndex: number } {
  const isOpen = entries.findLast((entry) => entry.type === "message")?.turnId === record.turnId;
  const context = contextMessages(entries, { isOpen });
  const all = context.map(({ message }) => message);
  // What began the turn was committed with it; what came later was shown as it is.
  const began = context.findLastIndex(
    ({ entry, message }) =>
      entry.type === "message" && beginsTurn(message) && entry.turnId === record.turnId && entry.timestampMs === startedAtMs,
  );
  const view = { ...record.view, historyLimit: record.view.historyLimit };
  const prompt = all[began];
  if (prompt?.role !== "user") {
    const { messages } = viewHistory(all, undefined, view);
    return { messages: projectMessages(messages), promptIndex: -1 };
  }
  const { messages: history } = viewHistory(all.slice(0, began), prompt, view);
  const messages = projectMessages([...history, prompt, ...all.slice(began + 1)]);
  return { messages, promptIndex: messages.indexOf(prompt) };
}
