import type { KnownResult } from "@factotum/agent-core";
import { withoutUndefined } from "@factotum/agent-contract";
import type { AgentMessage, AssistantMessage, ModelClient, ToolResultMessage } from "@factotum/agent-contract";
import type { ToolJournalRecord } from "@factotum/store";
import { openCalls } from "../context/open-calls.ts";

/** The state from which an interrupted turn continues. */
export interface ResumedRun {
  /** The history up to the answer whose calls are open. */
  readonly messages: readonly AgentMessage[];
  readonly model: ModelClient;
  /** Known results of that answer's calls, even if their tools are gone. */
  readonly knownResults: ReadonlyMap<string, KnownResult>;
  /** The answer that the loop will emit first, and that is stored already. */
  readonly answer: AssistantMessage | undefined;
  /** Calls whose result is stored already. */
  readonly finished: ReadonlySet<string>;
}

/**
 * Lets the loop continue a turn that stopped between an answer and the last of its results. The stored answer is replayed to the loop as the model's, so its
 * calls take the normal path. A call with a stored result returns it; a call that may have run returns an unknown outcome; only calls that never started, or
 * that only read and therefore have no journal row, are run.
 */
export function resumeRun(messages: readonly AgentMessage[], journal: readonly ToolJournalRecord[], model: ModelClient): ResumedRun {
  const open = openCalls(messages);
  const answerAt = open.length === 0 ? -1 : messages.findLastIndex((message) => message.role === "assistant");
  const answer = messages[answerAt];
  // Calls before the person's last message belong to a turn that was given up: they are over, and the message stays.
  const isOver = messages.findLastIndex((message) => message.role === "user") > answerAt;
  if (answer?.role !== "assistant" || isOver) return { messages, model, knownResults: new Map(), answer: undefined, finished: new Set() };
  const stored = messages.slice(answerAt + 1).filter((message) => message.role === "toolResult");
  const known = new Map<string, KnownResult>(stored.map((result) => [result.toolCallId, asResult(result)]));
  const begun = new Set(journal.flatMap(({ callId, state }) => (state === "started" ? [callId] : [])));
  for (const { id, name } of open) if (begun.has(id)) known.set(id, unknownOutcome(name));
  return {
    messages: messages.slice(0, answerAt),
    model: playFirst(answer, model),
    knownResults: known,
    answer,
    finished: new Set(stored.map((result) => result.toolCallId)),
  };
}

function asResult({ content, isError, details, tainted = false }: ToolResultMessage): KnownResult {
  return { content, isError, tainted, ...withoutUndefined({ details }) };
}

function unknownOutcome(name: string): KnownResult {
  const text = `${name} had been started when the gateway stopped, and it is not known whether it finished. Check the state before you decide to call it again.`;
  return { content: [{ type: "text", text }], isError: true, tainted: false };
}

function playFirst(answer: AssistantMessage, model: ModelClient): ModelClient {
  let played = false;
  return {
    info: model.info,
    stream: (request, options) => {
      if (played) return model.stream(request, options);
      played = true;
      return playback(answer);
    },
  };
}

async function* playback(answer: AssistantMessage): ReturnType<ModelClient["stream"]> {
  yield { type: "message-end", message: answer };
}
