import { beginsTurn, projectMessages, viewHistory } from "@factotum/agent-core";
import type { AgentMessage, ModelRequest } from "@factotum/agent-contract";
import type { PromptRecord, RequestRecord, Store, TranscriptEntry } from "@factotum/store";
import { contextMessages } from "../context/read-history.ts";
import { MessageDigests } from "./message-digests.ts";

/** A stored request, rebuilt. */
export interface RebuiltRequest {
  readonly request: ModelRequest;
  /** When and why the prompt was rendered, and its sections. */
  readonly prompt: Pick<PromptRecord, "cause" | "renderedAtMs" | "outline">;
  /** Index of the turn's own message; -1 if it is gone. */
  readonly promptIndex: number;
  /** True if the messages have the same digest as when they were sent. */
  readonly exact: boolean;
}

/**
 * Rebuilds a request from the stored prompt and the transcript: both are append-only, and the way the history was shown is stored with the request. `undefined`
 * if the prompt is gone.
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

/** Rebuilds a request that was stored with its texts. */
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
  // Entries that start the turn were committed with it; later ones were shown unchanged.
  const began = context.findLastIndex(
    ({ entry, message }) =>
      entry.type === "message" && beginsTurn(message) && entry.turnId === record.turnId && entry.timestampMs === startedAtMs,
  );
  const [provider = ""] = record.model.split("/", 1);
  const model = { provider };
  const view = { ...record.view, historyLimit: record.view.historyLimit };
  const prompt = all[began];
  if (prompt?.role !== "user") {
    const { messages } = viewHistory(all, undefined, view);
    return { messages: projectMessages(messages, model), promptIndex: -1 };
  }
  const { messages: history } = viewHistory(all.slice(0, began), prompt, view);
  const messages = projectMessages([...history, prompt, ...all.slice(began + 1)], model);
  return { messages, promptIndex: messages.indexOf(prompt) };
}
