import {
  addUsage,
  NO_USAGE_TOTALS,
  type AgentMessage,
  type AgentTool,
  type AssistantMessage,
  type ToolResultMessage,
  type ToolSchema,
  type UsageTotals,
  type UserMessage,
} from "@factotum/agent-contract";
import { LoopDetector } from "./loop-detector.ts";
import type { RunAgentInput, RunAgentOptions } from "./run-input.ts";
import { describeError } from "./settle.ts";

/** What one run knows of itself while it goes on. */
export class RunState {
  readonly input: RunAgentInput;
  readonly options: RunAgentOptions;
  readonly messages: AgentMessage[];
  readonly tools: ReadonlyMap<string, AgentTool>;
  readonly schemas: readonly ToolSchema[];
  readonly loops: LoopDetector = new LoopDetector();
  usage: UsageTotals = NO_USAGE_TOTALS;
  turn = 0;
  /** The model was asked again after an answer without a word. */
  isAskedAgain = false;
  /** Answers in a row none of whose calls could be run. */
  unusableAnswers = 0;
  toolCalls = 0;
  /** Taint of what the model had been given at its last request (R23). */
  tainted: boolean;
  #arrivedTainted: boolean;

  constructor(input: RunAgentInput, options: RunAgentOptions) {
    this.input = input;
    this.options = options;
    this.messages = input.prompt === undefined ? [...input.messages] : [...input.messages, input.prompt];
    this.tools = new Map(input.tools.map((tool) => [tool.name, tool]));
    this.schemas = input.tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
    this.tainted = input.tainted || input.prompt?.tainted === true;
    this.#arrivedTainted = this.tainted;
  }

  get signal(): AbortSignal {
    return this.options.signal;
  }

  /** Why the run was stopped, for people. */
  get abortReason(): string {
    return describeError(this.options.signal.reason);
  }

  /** The model's answer becomes part of the conversation. */
  addAnswer(message: AssistantMessage): void {
    this.messages.push(message);
    this.charge(message);
  }

  /** Adds the usage of an answer, even of a failed one. */
  charge(message: AssistantMessage): void {
    // A failed call that told no usage leaves the size of the context as it was known.
    if (message.usage.total > 0) this.usage = addUsage(this.usage, message.usage);
  }

  /** True when the newest user message has been answered in some way: with text, or through a tool that sends. */
  get hasSpoken(): boolean {
    const since = this.messages.slice(this.messages.findLastIndex(({ role }) => role === "user") + 1);
    return since.some((message) => {
      if (message.role === "assistant") return hasText(message);
      return message.role === "toolResult" && !message.isError && this.tools.get(message.toolName)?.traits.effect === "send";
    });
  }

  addResult(result: ToolResultMessage): void {
    this.messages.push(result);
    this.#arrivedTainted ||= result.tainted === true;
  }

  addSteering(messages: readonly UserMessage[]): void {
    this.messages.push(...messages);
    this.#arrivedTainted ||= messages.some(({ tainted }) => tainted === true);
    this.loops.reset();
  }

  /** The model has now been given everything that arrived. */
  startRequest(): void {
    this.tainted = this.#arrivedTainted;
  }
}

/** True if any part of the answer was shown to a person. */
export function hasText({ content }: AssistantMessage): boolean {
  return content.some((block) => block.type === "text" && block.text.trim() !== "");
}
