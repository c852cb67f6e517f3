import { EXTERNAL_PROVIDER, externalModelInfo, ModelError, NO_USAGE, withoutUndefined } from "@factotum/agent-contract";
import type {
  AgentMessage,
  AssistantMessage,
  Clock,
  ModelClient,
  ModelEvent,
  ModelRequest,
  StopReason,
  ToolCall,
  ToolResultMessage,
  Usage,
  UserMessage,
} from "@factotum/agent-contract";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { agentError } from "./agent-error.ts";
import type { AgentConversation } from "./conversation.ts";
import type { AgentCall, OwnCallItem, PromptEnd } from "./prompt-queue.ts";

type OwnCallEnd = NonNullable<OwnCallItem["end"]>;

/** What a stream needs to reach its agent. */
export interface AgentClientOptions {
  readonly id: string;
  readonly clock: Pick<Clock, "now">;
  readonly isResumed: boolean;
  /** The running agent of the conversation, or one that is started now. Rejects with an error for the owner. */
  readonly reach: (signal: AbortSignal) => Promise<AgentConversation>;
  /** Called when a stream has ended, with an answer or not. */
  readonly onRest: () => void;
}

/** The agent as the model of its conversation. */
export function createAgentClient(options: AgentClientOptions): ModelClient {
  const info = externalModelInfo(options.id);
  return { info, stream: (request, { signal }) => streamAnswer(request, signal, options) };
}

async function* streamAnswer(
  { messages }: ModelRequest,
  signal: AbortSignal,
  options: AgentClientOptions,
): AsyncGenerator<ModelEvent, void, undefined> {
  const answer = new Answer(options);
  let conversation: AgentConversation | undefined;
  let hasEnded = false;
  try {
    conversation = await options.reach(signal);
    yield { type: "message-start" };
    const notice = begin(conversation, messages, { ...options, signal });
    if (notice !== undefined) yield* answer.add("text", notice);
    for (;;) {
      const item = await conversation.next(signal);
      switch (item.type) {
        case "text":
        case "thought":
          yield* answer.add(item.type, item.text);
          continue;
        case "own-call":
          yield* answer.show(item);
          if (item.end === undefined) continue;
          hasEnded = true;
          yield* answer.ownCall(item.call, item.end);
          return;
        case "call":
          // One that the agent gave up meanwhile is not run.
          if (!conversation.awaits(item.call.id)) continue;
          hasEnded = true;
          yield* answer.call(item.call);
          return;
        case "ended": {
          const waiting = conversation.takeWaiting();
          if (waiting.length > 0) {
            yield* answer.add("text", "\n\n");
            conversation.prompt(waiting, signal);
            continue;
          }
          hasEnded = true;
          yield* answer.end(item.end, { hasSpoken: conversation.hasSpoken, costUsd: conversation.takeCost() });
          return;
        }
        case "failed":
          throw item.error;
      }
    }
  } catch (error) {
    yield answer.failed(toFailure(error, signal));
  } finally {
    // A reader that leaves early wants no more of it.
    if (!hasEnded) conversation?.cancel();
    options.onRest();
  }
}

/** Gives the agent what is new: results of its calls, and messages, which are its prompt or wait until that has ended. Returns what people must know. */
function begin(
  conversation: AgentConversation,
  messages: readonly AgentMessage[],
  { id, isResumed, signal }: Pick<AgentClientOptions, "id" | "isResumed"> & { readonly signal: AbortSignal },
): string | undefined {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const fresh = messages.slice(last + 1);
  const said = conversation.takeNew(fresh.filter((message): message is UserMessage => message.role === "user"));
  const blocks = said.flatMap((message) => blocksOf(message, conversation));
  if (conversation.hasPrompt) {
    // It watches its own commands.
    const asked = said.filter(({ parts }) => parts?.source?.eventId.startsWith(COMMAND_END) !== true);
    conversation.addWaiting(asked.flatMap((message) => blocksOf(message, conversation)));
    for (const message of fresh) if (isResult(message)) conversation.settle(message);
    return undefined;
  }
  // A process that is gone has sent it, perhaps.
  const { beginning, isUnused } = conversation;
  const isAgain = isResumed && beginning === "loaded" && isUnused;
  const asked = blocks.length > 0 ? blocks : newestPrompt(messages, conversation);
  conversation.prompt(isAgain ? [{ type: "text", text: INTERRUPTED }, ...asked] : asked, signal);
  if (!isUnused) return undefined;
  const isForgotten = last !== -1 && beginning === "new";
  const { leftServers } = conversation;
  const notices = [
    ...(isForgotten ? [`(${id} has begun a new conversation: it does not know what was said before.)\n\n`] : []),
    ...(leftServers.length === 0 ? [] : [`(${id} takes no MCP servers of this kind: ${leftServers.join(", ")}. It works without.)\n\n`]),
  ];
  return notices.length === 0 ? undefined : notices.join("");
}

/** How the events begin by which the gateway tells of the end of a command. */
const COMMAND_END = "command:";

const INTERRUPTED =
  "The program that passes messages on to you was restarted. Look at what is done already, and continue with the last request, which was:";

function isResult(message: AgentMessage): message is ToolResultMessage {
  return message.role === "toolResult";
}

/** The messages that the turn began with, for one that is resumed between its calls. */
function newestPrompt(messages: readonly AgentMessage[], conversation: AgentConversation): readonly ContentBlock[] {
  const newest = messages.findLast((message): message is UserMessage => message.role === "user");
  return newest === undefined ? [{ type: "text", text: "Continue." }] : blocksOf(newest, conversation);
}

/** A message as it was written, where nothing else belongs to it; with files, quotes and events it is what a model gets. */
function blocksOf(message: UserMessage, { takesImages }: AgentConversation): readonly ContentBlock[] {
  const { content, parts, tainted } = message;
  const isAlone = tainted !== true && parts?.systemEvents.length === 0 && parts.files === undefined && parts.bodyType !== "media-only";
  if (isAlone && parts.body !== "") return [{ type: "text", text: parts.body }];
  return content.map((block): ContentBlock => {
    if (block.type === "text") return { type: "text", text: block.text };
    if (takesImages) return { type: "image", data: block.data, mimeType: block.mimeType };
    return { type: "text", text: "[an image, which this agent does not take]" };
  });
}

function toFailure(error: unknown, signal: AbortSignal): ModelError {
  if (signal.aborted) return new ModelError("aborted", "Stopped.", { retry: { type: "never" }, cause: error });
  if (ModelError.isInstance(error)) return error;
  return agentError("server", `The external agent could not be asked: ${error instanceof Error ? error.message : "unknown reason"}`, error);
}

/** One message of the agent while it comes. */
class Answer {
  readonly #options: Pick<AgentClientOptions, "id" | "clock" | "isResumed">;
  readonly #content: AssistantMessage["content"][number][] = [];
  #open: { readonly type: "text" | "thought"; text: string } | undefined;

  constructor(options: Pick<AgentClientOptions, "id" | "clock" | "isResumed">) {
    this.#options = options;
  }

  *add(type: "text" | "thought", text: string): Generator<ModelEvent, void, undefined> {
    if (this.#open?.type !== type) {
      yield* this.#close();
      this.#open = { type, text: "" };
      yield { type: type === "text" ? "text-start" : "thinking-start", index: this.#content.length };
    }
    this.#open.text += text;
    yield { type: type === "text" ? "text-delta" : "thinking-delta", index: this.#content.length, text };
  }

  /** Ends with a call of a tool. */
  *call({ id, name, arguments: args }: AgentCall): Generator<ModelEvent, void, undefined> {
    yield* this.#close();
    const index = this.#content.length;
    yield { type: "tool-call-start", index, id, name };
    this.#content.push({ type: "toolCall", id, name, arguments: args });
    yield { type: "tool-call-end", index, id, name };
    yield { type: "message-end", message: this.#build("toolUse", NO_USAGE) };
  }

  /** Shows what is new of something that the agent does itself. */
  *show({ call, isChanged, added }: OwnCallItem): Generator<ModelEvent, void, undefined> {
    if (isChanged) yield { type: "external-call", call };
    if (added !== "") yield { type: "external-call-delta", id: call.id, text: added };
  }

  /** Ends with something that the agent has done itself: its next words come after that. */
  *ownCall({ id, name, arguments: args }: ToolCall, { text, isError }: OwnCallEnd): Generator<ModelEvent, void, undefined> {
    yield* this.#close();
    this.#content.push({ type: "toolCall", id, name, arguments: args, external: true });
    const content = text === "" ? [] : [{ type: "text", text } as const];
    const timestamp = this.#options.clock.now();
    const result: ToolResultMessage = { role: "toolResult", toolCallId: id, toolName: name, content, isError, external: true, timestamp };
    yield { type: "message-end", message: this.#build("toolUse", NO_USAGE), results: [result] };
  }

  /** Ends with the prompt. `hasSpoken`: the agent has said something in it, here or in an earlier message. */
  *end(
    { stopReason, usage }: PromptEnd,
    { hasSpoken, costUsd }: { readonly hasSpoken: boolean; readonly costUsd: number | undefined },
  ): Generator<ModelEvent, void, undefined> {
    const { id } = this.#options;
    if (stopReason === "refusal") throw agentError("refused", `The external agent ${id} declined to answer.`);
    if (stopReason === "cancelled") throw agentError("server", `The external agent ${id} has cancelled the request itself.`);
    if (stopReason === "max_turn_requests") throw agentError("server", `The external agent ${id} has reached its own limit of requests.`);
    // An answer without text would be asked for again.
    if (!hasSpoken && !this.#hasText()) yield* this.add("text", `(${id} has ended its turn without further words.)`);
    yield* this.#close();
    yield { type: "message-end", message: this.#build(stopReason === "max_tokens" ? "length" : "stop", usageOf(usage, costUsd)) };
  }

  failed(error: ModelError): ModelEvent {
    const { id, isResumed } = this.#options;
    if (this.#open !== undefined) this.#keep(this.#open);
    this.#open = undefined;
    // The agent may have got the prompt before the restart: with this answer to it, it is not given it again with the next message.
    if (isResumed && this.#content.length === 0) this.#keep({ type: "thought", text: `(The request to ${id} was interrupted.)` });
    if (this.#content.length === 0) return { type: "message-failed", error };
    const partial = { ...this.#build(error.code === "aborted" ? "aborted" : "error", NO_USAGE), errorMessage: error.message };
    return { type: "message-failed", error, partial };
  }

  *#close(): Generator<ModelEvent, void, undefined> {
    const open = this.#open;
    if (open === undefined) return;
    yield { type: open.type === "text" ? "text-end" : "thinking-end", index: this.#content.length, text: open.text };
    this.#keep(open);
    this.#open = undefined;
  }

  #keep({ type, text }: { readonly type: "text" | "thought"; readonly text: string }): void {
    this.#content.push({ type: type === "text" ? "text" : "thinking", text });
  }

  #hasText(): boolean {
    const isText = this.#open?.type === "text" && this.#open.text.trim() !== "";
    return isText || this.#content.some((block) => block.type === "text" && block.text.trim() !== "");
  }

  #build(stopReason: StopReason, usage: Usage): AssistantMessage {
    const { id, clock } = this.#options;
    return {
      role: "assistant",
      content: this.#content,
      api: "acp",
      provider: EXTERNAL_PROVIDER,
      model: id,
      usage,
      stopReason,
      timestamp: clock.now(),
    };
  }
}

/** The tokens that the agent reports; 0 of each if it reports none. */
function usageOf(reported: PromptEnd["usage"], costUsd: number | undefined): Usage {
  const count = (name: string): number => {
    const value = reported[name];
    return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
  };
  const [input, output] = [count("inputTokens"), count("outputTokens")];
  const [cacheRead, cacheWrite] = [count("cachedReadTokens"), count("cachedWriteTokens")];
  return { input, output, cacheRead, cacheWrite, total: input + output + cacheRead + cacheWrite, ...withoutUndefined({ costUsd }) };
}
