import type { SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import { EXTERNAL_CALL } from "@factotum/agent-contract";
import type { Random } from "@factotum/agent-contract";
import type { ChatEntry, ChatEvent, ChatToolCall, LiveRun } from "@factotum/protocol";
import { planOf } from "./plan.ts";
import { showCall } from "./tool-call.ts";

/** What a renderer needs. */
export interface UpdateRendererOptions {
  /** The session's folder. */
  readonly workspace: string;
  readonly random: Random;
  /** True for messages that the client sent itself: it shows those already. */
  readonly isOwn: (idempotencyKey: string) => boolean;
  /** True if the client is asked for a decision in its own way, so that the gateway's words for it are left out. */
  readonly asksForDecisions: () => boolean;
}

type Chunk = "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk";

/** Output of a running tool that is shown: its end. */
const MAX_OUTPUT_CHARS = 4_000;

const RESTARTED = "\n\n(The model is asked again; the text above does not count.)\n\n";

const RESET = "(A new conversation begins here: what was said before is not known in it.)";

/** Converts the events and entries of one session to updates of the protocol. Knows which text and which calls the client has been shown. */
export class UpdateRenderer {
  readonly #options: UpdateRendererOptions;
  /** Calls that were shown and have not ended, with their output so far. */
  readonly #calls = new Map<string, { readonly name: string; diffs: ToolCallContent[]; output: string }>();
  /** Plans are no calls for the client. */
  readonly #plans = new Set<string>();
  #block: "text" | "thinking" = "text";
  #messageId: string;
  /** Text of the answer that is being written, as far as it was shown. */
  #written = "";
  #hasThought = false;

  constructor(options: UpdateRendererOptions) {
    this.#options = options;
    this.#messageId = options.random.uuid();
  }

  /** What a client sees of a run that had begun before it came. */
  renderLive({ blocks, tools }: LiveRun): SessionUpdate[] {
    const written = blocks.flatMap(({ type, text }) => [...this.#startBlock(type), ...this.#write(text)]);
    return [...written, ...tools.flatMap(({ output, ...call }) => [...this.#startCall(call), ...this.#addOutput(call.id, output)])];
  }

  renderEvent(event: ChatEvent): SessionUpdate[] {
    switch (event.type) {
      case "block-start":
        return this.#startBlock(event.block);
      case "block-delta":
        return this.#write(event.text);
      case "answer-restart":
        return this.#restart();
      case "tool-start":
        return this.#startCall(event.call);
      case "tool-delta":
        return this.#addOutput(event.callId, event.text);
      case "entry":
        return this.renderEntry(event.entry);
      case "run-start":
      case "run-end":
      case "branch-change":
      case "queue-change":
      case "subagent-change":
        return [];
      case "reset":
        return this.#reset();
    }
  }

  /** A committed entry: what is not shown yet, which is all of it when a conversation is replayed. */
  renderEntry(entry: ChatEntry): SessionUpdate[] {
    switch (entry.type) {
      case "user":
        return entry.idempotencyKey !== undefined && this.#options.isOwn(entry.idempotencyKey)
          ? []
          : [this.#chunk("user_message_chunk", entry.text, this.#options.random.uuid())];
      case "assistant":
        return this.#endAnswer(entry);
      case "tool-result":
        return this.#endCall(entry);
      case "notice":
        return entry.request?.type === "decision" && this.#options.asksForDecisions()
          ? []
          : [this.#chunk("agent_message_chunk", `${entry.text}\n\n`, this.#options.random.uuid())];
    }
  }

  /** A call that waits for a decision: shown before it starts. */
  renderWaiting(call: ChatToolCall): SessionUpdate[] {
    return this.#announce(call, "pending");
  }

  /** The newest command runs in a terminal of the client, which shows its output. */
  renderTerminal(terminalId: string): SessionUpdate[] {
    const [callId, call] = [...this.#calls].findLast(([, { name }]) => name === "exec") ?? [];
    if (call === undefined || callId === undefined) return [];
    call.diffs = [{ type: "terminal", terminalId }];
    return [{ sessionUpdate: "tool_call_update", toolCallId: callId, content: call.diffs }];
  }

  /** Words of the server itself. */
  renderNote(text: string): SessionUpdate {
    return this.#chunk("agent_message_chunk", `${text}\n\n`, this.#options.random.uuid());
  }

  #startBlock(block: "text" | "thinking"): SessionUpdate[] {
    this.#block = block;
    this.#messageId = this.#options.random.uuid();
    // Two texts of one answer are two paragraphs, also for a client that knows no message ids.
    return block === "text" && this.#written !== "" ? this.#write("\n\n") : [];
  }

  #write(text: string): SessionUpdate[] {
    if (text === "") return [];
    if (this.#block === "thinking") {
      this.#hasThought = true;
      return [this.#chunk("agent_thought_chunk", text, this.#messageId)];
    }
    this.#written += text;
    return [this.#chunk("agent_message_chunk", text, this.#messageId)];
  }

  #restart(): SessionUpdate[] {
    const wasShown = this.#written !== "";
    this.#endMessage();
    return wasShown ? [this.#chunk("agent_message_chunk", RESTARTED, this.#options.random.uuid())] : [];
  }

  /** The conversation begins again, by a command or because it had grown old. */
  #reset(): SessionUpdate[] {
    this.#endMessage();
    this.#calls.clear();
    this.#plans.clear();
    return [this.renderNote(RESET)];
  }

  #endAnswer({ text, thinking, toolCalls }: Extract<ChatEntry, { type: "assistant" }>): SessionUpdate[] {
    const thought: SessionUpdate[] =
      this.#hasThought || thinking === undefined ? [] : [this.#chunk("agent_thought_chunk", thinking, this.#options.random.uuid())];
    const rest = this.#written === "" ? text : text.startsWith(this.#written) ? text.slice(this.#written.length) : "";
    const written: SessionUpdate[] = rest === "" ? [] : [this.#chunk("agent_message_chunk", rest, this.#messageId)];
    this.#endMessage();
    return [...thought, ...written, ...toolCalls.flatMap((call) => this.#announce(call, "pending"))];
  }

  #endMessage(): void {
    this.#written = "";
    this.#hasThought = false;
    this.#messageId = this.#options.random.uuid();
  }

  #announce(call: ChatToolCall, status: "pending" | "in_progress"): SessionUpdate[] {
    if (this.#plans.has(call.id) || this.#calls.has(call.id)) return [];
    const plan = planOf(call);
    if (plan !== undefined) {
      this.#plans.add(call.id);
      return [{ sessionUpdate: "plan", entries: plan }];
    }
    const { diffs, ...shown } = showCall(call, this.#options.workspace);
    this.#calls.set(call.id, { name: call.name, diffs, output: "" });
    const details = { name: call.name, status, ...shown, ...(diffs.length === 0 ? {} : { content: diffs }) };
    return [{ sessionUpdate: "tool_call", toolCallId: call.id, ...details }];
  }

  #startCall(call: ChatToolCall): SessionUpdate[] {
    const announced = this.#announce(call, "in_progress");
    if (announced.length > 0 || this.#plans.has(call.id)) return announced;
    const known = this.#calls.get(call.id);
    if (call.name !== EXTERNAL_CALL || known === undefined)
      return [{ sessionUpdate: "tool_call_update", toolCallId: call.id, status: "in_progress" }];
    // An external agent describes its calls while they run.
    const { diffs, ...shown } = showCall(call, this.#options.workspace);
    known.diffs = diffs;
    const content = [...diffs, ...(known.output === "" ? [] : [contentOf(known.output)])];
    return [{ sessionUpdate: "tool_call_update", toolCallId: call.id, status: "in_progress", ...shown, content }];
  }

  #addOutput(callId: string, text: string): SessionUpdate[] {
    const call = this.#calls.get(callId);
    if (call === undefined || text === "") return [];
    if (call.diffs.some(({ type }) => type === "terminal")) return [];
    call.output = (call.output + text).slice(-MAX_OUTPUT_CHARS);
    return [{ sessionUpdate: "tool_call_update", toolCallId: callId, content: [...call.diffs, contentOf(call.output)] }];
  }

  #endCall({ callId, name, text, isError }: Extract<ChatEntry, { type: "tool-result" }>): SessionUpdate[] {
    if (this.#plans.delete(callId)) return [];
    const announced = this.#announce({ id: callId, name, argumentsText: "{}" }, "pending");
    const diffs = this.#calls.get(callId)?.diffs ?? [];
    this.#calls.delete(callId);
    const status = isError ? "failed" : "completed";
    // A diff says it all.
    const content = diffs.length > 0 && !isError ? diffs : text === "" ? [] : [contentOf(text)];
    return [...announced, { sessionUpdate: "tool_call_update", toolCallId: callId, status, content }];
  }

  #chunk(sessionUpdate: Chunk, text: string, messageId: string): SessionUpdate {
    return { sessionUpdate, messageId, content: { type: "text", text } };
  }
}

function contentOf(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}
