import type { AssistantMessage, ToolResultMessage, UserMessage } from "./messages.ts";
import type { ModelEvent } from "./model.ts";
import type { ModelErrorCode } from "./model-error.ts";
import type { RunKind } from "./run.ts";
import type { ToolCall } from "./tool.ts";
import type { UsageTotals } from "./usage.ts";

/** How a run ended. */
export type RunOutcome =
  /** The model finished with an answer, with calls of a client's tools (`clientCalls`, never empty), which have no result yet, or with a call that ends the turn (`yielded`). */
  | {
      readonly type: "done";
      readonly message: AssistantMessage;
      readonly clientCalls?: readonly ToolCall[];
      readonly yielded?: true;
    }
  /** The run's signal fired. */
  | { readonly type: "aborted"; readonly reason: string }
  | {
      readonly type: "failed";
      readonly code: RunFailureCode;
      /** For the owner: names providers, models and settings. Contains no prompt and no secret. */
      readonly message: string;
      /** When the model can be asked again, if its provider says so. */
      readonly retryAfterMs?: number;
    };

/**
 * Why a run failed: a model error's code, one of the run's own limits, or an invalid answer.
 * - `empty`: the model answered without text, twice.
 * - `output-limit`: the answer was stopped at its limit, or the model reached its output limit before there was an answer or a complete tool call.
 * - `malformed-calls`: it kept writing tool calls that cannot be parsed.
 */
export type RunFailureCode = ModelErrorCode | "loop" | "max-turns" | "max-tool-calls" | "empty" | "malformed-calls" | "internal";

/**
 * Events of an agent run. Every run begins with `run-start` and ends with one `run-end`.
 *
 * The stream is pull-based: the loop continues only when the consumer asks for the next event. A consumer that commits `message-end` and `tool-start` before it
 * asks again has them on disk before any tool runs, and every `tool-end` before the next model request. A turn in which the model produced nothing has no
 * `message-end` and no `turn-end`: the run ends there.
 */
export type AgentEvent =
  | { readonly type: "run-start"; readonly kind: RunKind }
  | { readonly type: "turn-start"; readonly turn: number }
  | { readonly type: "model-event"; readonly turn: number; readonly event: ModelStreamEvent }
  /** One complete answer of the model; also an aborted or failed one, if any of it was shown. */
  | { readonly type: "message-end"; readonly turn: number; readonly message: AssistantMessage }
  /** Emitted only for a call that is about to run: a call with a start and no end, found after a crash, may have run. */
  | { readonly type: "tool-start"; readonly turn: number; readonly call: ToolCall }
  | { readonly type: "tool-delta"; readonly turn: number; readonly callId: string; readonly text: string }
  /**
   * Exactly one for each call of a `message-end`, in call order; also for calls that did not run (unknown, refused, skipped). Only the `clientCalls` with which
   * the run ends have none.
   */
  | { readonly type: "tool-end"; readonly turn: number; readonly call: ToolCall; readonly result: ToolResultMessage }
  /** Messages that arrived during the run and are now part of it. */
  | { readonly type: "steering"; readonly turn: number; readonly messages: readonly UserMessage[] }
  | {
      readonly type: "turn-end";
      readonly turn: number;
      readonly message: AssistantMessage;
      readonly toolResults: readonly ToolResultMessage[];
    }
  /** A callback of the host threw; the run continued with a fallback. */
  | { readonly type: "hook-error"; readonly hook: string; readonly message: string }
  | { readonly type: "run-end"; readonly outcome: RunOutcome; readonly usage: UsageTotals };

/** Events of a model stream that are shown as they arrive; the last two become events of the run. */
export type ModelStreamEvent = Exclude<ModelEvent, { readonly type: "message-end" | "message-failed" }>;

/** Provides the loop with messages that arrive while it is busy. */
export interface SteeringQueue {
  /** Takes all waiting messages, oldest first. Called after every tool call and before every model request. */
  take(): Promise<readonly UserMessage[]>;
}
