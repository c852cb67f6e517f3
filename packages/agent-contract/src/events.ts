import type { AssistantMessage, ToolResultMessage, UserMessage } from "./messages.ts";
import type { ModelEvent } from "./model.ts";
import type { ModelErrorCode } from "./model-error.ts";
import type { RunKind } from "./run.ts";
import type { ToolCall } from "./tool.ts";
import type { UsageTotals } from "./usage.ts";

/** How a run ended. */
export type RunOutcome =
  /** The model had the last word. */
  | { readonly type: "done"; readonly message: AssistantMessage }
  /** The run's signal fired. */
  | { readonly type: "aborted"; readonly reason: string }
  | {
      readonly type: "failed";
      readonly code: RunFailureCode;
      /** For the owner: names providers, models and settings. Holds neither prompt nor secret. */
      readonly message: string;
      /** When the model can be asked again, where its provider says so. */
      readonly retryAfterMs?: number;
    };

/**
 * Why a run failed: a model error's code, one of the run's own bounds, or an answer that is none.
 *
 * - `empty`: the model ended without a word, twice.
 * - `output-limit`: the answer was stopped at its limit, or the model reached the limit of its output before there was an answer or a complete tool call.
 * - `malformed-calls`: it went on writing tool calls that cannot be read.
 */
export type RunFailureCode = ModelErrorCode | "loop" | "max-turns" | "max-tool-calls" | "empty" | "malformed-calls" | "internal";

/**
 * What an agent run yields. Every run begins with `run-start` and ends with one `run-end`.
 *
 * The stream is pulled: the loop goes on only when the consumer asks for the next event. So a consumer that commits `message-end` and
 * `tool-start` before it asks again has them on disk before any tool runs, and every `tool-end` before the next model request.
 * A turn in which the model gave nothing has no `message-end` and no `turn-end`: the run ends there.
 */
export type AgentEvent =
  | { readonly type: "run-start"; readonly kind: RunKind }
  | { readonly type: "turn-start"; readonly turn: number }
  | { readonly type: "model-event"; readonly turn: number; readonly event: ModelStreamEvent }
  /** One complete answer of the model; also an aborted or failed one, if anything of it had been shown. */
  | { readonly type: "message-end"; readonly turn: number; readonly message: AssistantMessage }
  /** Comes only for a call that is about to run: one with a start and no end, found after a crash, is one that may have run. */
  | { readonly type: "tool-start"; readonly turn: number; readonly call: ToolCall }
  | { readonly type: "tool-delta"; readonly turn: number; readonly callId: string; readonly text: string }
  /** Exactly one for each call of a `message-end`, in call order; also for calls that were not run (unknown, refused, skipped). */
  | { readonly type: "tool-end"; readonly turn: number; readonly call: ToolCall; readonly result: ToolResultMessage }
  /** Messages that came in while the run was going, now part of it. */
  | { readonly type: "steering"; readonly turn: number; readonly messages: readonly UserMessage[] }
  | {
      readonly type: "turn-end";
      readonly turn: number;
      readonly message: AssistantMessage;
      readonly toolResults: readonly ToolResultMessage[];
    }
  /** A callback of the host threw; the run went on with a fallback. */
  | { readonly type: "hook-error"; readonly hook: string; readonly message: string }
  | { readonly type: "run-end"; readonly outcome: RunOutcome; readonly usage: UsageTotals };

/** The events of a model stream that are shown as they come; the two last ones become events of the run. */
export type ModelStreamEvent = Exclude<ModelEvent, { readonly type: "message-end" | "message-failed" }>;

/** Hands the loop what came in while it was busy. */
export interface SteeringQueue {
  /** Takes everything that waits, oldest first. Called after every tool call and before every model request. */
  take(): Promise<readonly UserMessage[]>;
}
