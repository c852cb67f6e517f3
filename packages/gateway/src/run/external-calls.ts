import { NO_USAGE } from "@factotum/agent-contract";
import type { AssistantMessage, ModelInfo, ModelStreamEvent, PlanBoard, PlanStep, RunFacts, ToolCall } from "@factotum/agent-contract";
import type { ToolResultMessage } from "@factotum/agent-contract";
import type { TranscriptBody } from "@factotum/store";
import { chatToolCall } from "../delivery/chat-entries.ts";
import type { ToolLine } from "../delivery/plan-tool-line.ts";
import type { SessionEvents } from "../events/session-events.ts";

/** Dependencies of `ExternalCalls`. */
export interface ExternalCallsOptions {
  readonly runId: string;
  readonly facts: RunFacts;
  readonly events: Pick<SessionEvents, "publish">;
  readonly planBoard: PlanBoard;
  /** Called with each call when it is heard of first. */
  readonly onStart: (line: Extract<ToolLine, { readonly type: "start" }>) => Promise<void>;
}

type ExternalEvent = Extract<ModelStreamEvent, { readonly type: "external-call" | "external-call-delta" }>;

/** Shows what an external agent does itself like calls that are run here: live to clients, and in chats where calls and plans are shown there. */
export class ExternalCalls {
  readonly #options: ExternalCallsOptions;
  readonly #shown = new Set<string>();
  readonly #open = new Map<string, ToolCall>();

  constructor(options: ExternalCallsOptions) {
    this.#options = options;
  }

  /** Rejects when the store does. */
  async show(event: ExternalEvent): Promise<void> {
    const { runId, facts, events, onStart } = this.#options;
    if (event.type === "external-call-delta")
      return events.publish(facts.sessionKey, { type: "tool-delta", runId, callId: event.id, text: event.text });
    const { call } = event;
    events.publish(facts.sessionKey, { type: "tool-start", runId, call: chatToolCall(call) });
    this.#open.set(call.id, call);
    if (this.#shown.has(call.id)) return;
    this.#shown.add(call.id);
    await onStart({ type: "start", call });
    const steps = stepsOf(call);
    if (steps !== undefined) await this.#options.planBoard.show(steps, { callId: call.id, run: facts });
  }

  /** A call has its result. */
  onEnd(callId: string): void {
    this.#open.delete(callId);
  }

  /** The run is over: entries for the calls that have no result. */
  takeUnfinished(model: ModelInfo, nowMs: number): readonly TranscriptBody[] {
    const calls = [...this.#open.values()];
    this.#open.clear();
    return calls.flatMap((call) => unfinished(call, model, nowMs));
  }
}

/** A call of which the agent has not said how it ended, because the run was stopped or the agent has died. */
function unfinished(
  { id, name, arguments: given }: ToolCall,
  { api, provider, id: model }: ModelInfo,
  timestamp: number,
): readonly TranscriptBody[] {
  const call: AssistantMessage = {
    role: "assistant",
    content: [{ type: "toolCall", id, name, arguments: given, external: true }],
    api,
    provider,
    model,
    usage: NO_USAGE,
    stopReason: "toolUse",
    timestamp,
  };
  const result: ToolResultMessage = {
    role: "toolResult",
    toolCallId: id,
    toolName: name,
    content: [{ type: "text", text: "The run ended before the agent said how this ended." }],
    details: { stopped: true },
    isError: true,
    external: true,
    timestamp,
  };
  return [call, result].map((message) => ({ type: "message", message }));
}

/** The steps of a plan, which `acp-client` has made; `undefined` for other calls. */
function stepsOf({ name, arguments: { plan } }: ToolCall): readonly PlanStep[] | undefined {
  return name === "update_plan" && Array.isArray(plan) ? (plan as unknown as readonly PlanStep[]) : undefined;
}
