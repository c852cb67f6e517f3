import { withoutUndefined } from "@factotum/agent-contract";
import type { AgentMessage, AssistantMessage, RunFacts, ThinkingLevel, ToolResultMessage } from "@factotum/agent-contract";
import { estimateTokens } from "@factotum/agent-core";
import type { ForkedPrompt, Store, TranscriptEntry } from "@factotum/store";
import { rebuildRequest } from "../requests/rebuild-request.ts";

/** The longest conversation that a sub-agent starts with. */
const MAX_TOKENS = 100_000;
/** Images have few tokens and many bytes, and an input holds all of it. */
const MAX_CHARS = 8 * 1024 * 1024;
/** Entries of a turn that follow its last request: one answer, and results of its calls. */
const LATER_ENTRIES = 200;

const STARTED = "You are the sub-agent that this call has started. The agent that made the call continues this conversation without you.";
const OPEN = "The agent whose conversation this is makes this call itself. You do not get its result.";

/** What a fork reads. */
export type ForkStore = Pick<Store, "listRequests" | "readContext" | "readPrompt" | "readRequestBody" | "readTranscript" | "readTurn">;

/** A conversation as its sub-agent starts with it. */
export type Fork =
  | {
      readonly type: "forked";
      readonly messages: readonly AgentMessage[];
      /** Its prompt; absent if the sub-agent has one of its own. */
      readonly prompt?: ForkedPrompt;
      /** The level of thinking that it was asked for with. */
      readonly thinking?: ThinkingLevel;
    }
  | { readonly type: "refused"; readonly reason: string };

/**
 * The conversation of a run up to one of its open calls: the messages of its last request, exactly as they were sent, and what has followed since. So a request
 * with the same prompt that continues from here begins with that request, and the provider's cache has it. Calls that are still open get results of their own.
 * `maxTokens`: how much the model takes.
 */
export async function forkConversation(
  {
    run,
    callId,
    tainted,
    maxTokens,
  }: { readonly run: RunFacts; readonly callId: string; readonly tainted: boolean; readonly maxTokens: number },
  store: ForkStore,
): Promise<Fork> {
  const { sessionId, runId } = run;
  const [last] = (await store.listRequests({ sessionId, turnId: runId, limit: 1 })).items;
  const sent = last === undefined ? undefined : await rebuildRequest(last, store);
  if (last?.promptHash === undefined || sent === undefined) return refused("the last request of this conversation is not kept");
  const { items } = await store.readTranscript(sessionId, { limit: LATER_ENTRIES });
  const messages = [...sent.request.messages, ...withResults(messagesAfter(items, last.lastEntryId), callId)];
  const tokens = estimateTokens(messages);
  const most = Math.min(MAX_TOKENS, maxTokens);
  if (tokens > most)
    return refused(
      `this conversation has about ${tokens.toLocaleString("en")} tokens, and a sub-agent can start with ${most.toLocaleString("en")}`,
    );
  const forked = messages.map((message) => asEarlier(message, tainted));
  if (JSON.stringify(forked).length > MAX_CHARS) return refused("this conversation has too many or too large images");
  return {
    type: "forked",
    messages: forked,
    prompt: { sessionId, hash: last.promptHash, notAfterMs: last.sentAtMs },
    ...withoutUndefined({ thinking: sent.request.thinking }),
  };
}

function refused(reason: string): Fork {
  return { type: "refused", reason: `Rule fork: ${reason}. Leave context out, and put what the sub-agent has to know into the task.` };
}

function messagesAfter(entries: readonly TranscriptEntry[], lastEntryId: string): readonly AgentMessage[] {
  return entries.flatMap((entry) => (entry.type === "message" && entry.id > lastEntryId ? [entry.message] : []));
}

/** Each call without a result gets one behind its answer. */
function withResults(messages: readonly AgentMessage[], ownId: string): readonly AgentMessage[] {
  const answered = new Set(messages.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : [])));
  return messages.flatMap((message): readonly AgentMessage[] => {
    if (message.role !== "assistant") return [message];
    return [message, ...closeCalls(message, { answered, ownId })];
  });
}

function closeCalls(
  { content, timestamp }: AssistantMessage,
  { answered, ownId }: { readonly answered: ReadonlySet<string>; readonly ownId: string },
): readonly ToolResultMessage[] {
  return content.flatMap((block) =>
    block.type !== "toolCall" || answered.has(block.id)
      ? []
      : {
          role: "toolResult" as const,
          toolCallId: block.id,
          toolName: block.name,
          content: [{ type: "text" as const, text: block.id === ownId ? STARTED : OPEN }],
          isError: false,
          timestamp,
        },
  );
}

/**
 * A message as the sub-agent's conversation has it: the same bytes for the model, in no turn of its own, so that its age does not change them. Marks stay unless
 * the owner trusts all of them.
 */
function asEarlier(message: AgentMessage, tainted: boolean): AgentMessage {
  if (message.role === "assistant") return message;
  const { tainted: mark, ...rest } = message;
  const marked = tainted && mark === true ? { tainted: true } : {};
  if (rest.role === "toolResult") {
    const { details: _details, ...result } = rest;
    return { ...result, ...marked };
  }
  // A summary, or a message of a file: its author is unknown, and stays so.
  if (rest.parts === undefined) return { ...rest, ...marked };
  const { source: _source, files: _files, ...parts } = rest.parts;
  return { ...rest, parts: { ...parts, joined: true }, ...marked };
}
