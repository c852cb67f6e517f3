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

/** The state of one run. */
export class RunState {
  readonly input: RunAgentInput;
  readonly options: RunAgentOptions;
  readonly messages: AgentMessage[];
  /** The deferred ones included. */
  readonly tools: ReadonlyMap<string, AgentTool>;
  readonly schemas: readonly ToolSchema[];
  /** Names of the client's tools. */
  readonly clientTools: ReadonlySet<string>;
  readonly loops: LoopDetector = new LoopDetector();
  usage: UsageTotals = NO_USAGE_TOTALS;
  turn = 0;
  /** The model was asked again after an empty answer. */
  isAskedAgain = false;
  /** Number of consecutive answers without a call that could be run. */
  unusableAnswers = 0;
  toolCalls = 0;
  /** Taint of the model's context at its last request (R23). */
  tainted: boolean;
  #arrivedTainted: boolean;

  constructor(input: RunAgentInput, options: RunAgentOptions) {
    this.input = input;
    this.options = options;
    this.messages = input.prompt === undefined ? [...input.messages] : [...input.messages, input.prompt];
    this.tools = new Map([...(input.deferred ?? []), ...input.tools].map((tool) => [tool.name, tool]));
    const clientTools = input.clientTools ?? [];
    this.schemas = [...input.tools, ...clientTools].map(({ name, description, parameters }) => ({ name, description, parameters }));
    this.clientTools = new Set(clientTools.map(({ name }) => name));
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

  /** Adds the model's answer to the conversation. */
  addAnswer(message: AssistantMessage): void {
    this.messages.push(message);
    this.charge(message);
  }

  /** Adds the usage of an answer, including failed ones. */
  charge(message: AssistantMessage): void {
    // A failed call without usage leaves the known context size unchanged.
    if (message.usage.total > 0) this.usage = addUsage(this.usage, message.usage);
  }

  /** True if the newest user message has been answered: with text, or through a tool that sends. */
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

  /** Marks everything received so far as given to the model. */
  startRequest(): void {
    this.tainted = this.#arrivedTainted;
  }
}

/** True if any part of the answer was shown to a person. */
export function hasText({ content }: AssistantMessage): boolean {
  return content.some((block) => block.type === "text" && block.text.trim() !== "");
}
