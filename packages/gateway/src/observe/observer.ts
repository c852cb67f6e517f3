import type { Clock, Logger, ModelEvent, RunKind, RunOutcome, ToolTraits } from "@factotum/agent-contract";
import type { SendReceipt } from "@factotum/channel-contract";
import type { ModelRetry } from "@factotum/models";
import type { InputRecord, OutboxRecord, TurnRecord } from "@factotum/store";
import { rowIds } from "../kernel/row-ids.ts";
import type { CollectedMetrics } from "./render-metrics.ts";
import { Spans } from "./spans.ts";
import type { EndSpan } from "./spans.ts";
import { Durations, Tally } from "./tally.ts";

/** Dependencies of the observer. */
export interface ObserverOptions {
  readonly clock: Clock;
  /** Adds the current turn to each line. */
  readonly logger: Logger;
  /** Id of the current turn. */
  readonly currentTurn: () => string | undefined;
}

/** The part of a turn that the observer uses. */
export type ObservedTurn = Pick<TurnRecord, "id" | "kind" | "sessionKey" | "inputIds">;

/** A model call's place in the gateway's work. */
export interface ModelCallFacts {
  readonly provider: string;
  readonly model: string;
  readonly kind: RunKind;
}

/** How a model call ended; `undefined`: the consumer stopped reading. */
export type ModelCallEnd = Extract<ModelEvent, { readonly type: "message-end" | "message-failed" }> | undefined;

/** A tool call; without the tool if there is none of that name. */
export interface ObservedCall {
  readonly id: string;
  readonly tool: { readonly name: string; readonly traits: Pick<ToolTraits, "effect"> } | undefined;
}

interface OpenTurn {
  readonly startedAtMs: number;
  readonly end: EndSpan;
  /** Calls that have started. */
  readonly calls: Map<string, EndSpan>;
  isEnded: boolean;
}

/**
 * Observes a message's way, counts events, and logs them. Label values come from closed lists and the configuration only, so that text of others creates no
 * series. Log lines have the level `debug`, for tracing a single message.
 */
export class Observer {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #currentTurn: () => string | undefined;
  readonly #spans = new Spans();
  readonly #open = new Map<string, OpenTurn>();
  readonly #inputs = new Tally("factotum_inputs_accepted_total");
  readonly #stoppedBots = new Tally("factotum_bot_messages_stopped_total");
  readonly #turns = new Tally("factotum_turns_total");
  readonly #durations = new Durations("factotum_turn_duration_seconds");
  readonly #calls = new Tally("factotum_model_calls_total");
  readonly #retries = new Tally("factotum_model_retries_total");
  readonly #tokens = new Tally("factotum_model_tokens_total");
  readonly #cost = new Tally("factotum_model_cost_usd_total");
  readonly #tools = new Tally("factotum_tool_calls_total");
  readonly #sends = new Tally("factotum_sends_total");

  constructor({ clock, logger, currentTurn }: ObserverOptions) {
    this.#clock = clock;
    this.#logger = logger;
    this.#currentTurn = currentTurn;
  }

  /** An event was committed, or is a duplicate. */
  inputTaken({ id, message }: InputRecord, sessionKey: string, result: "accepted" | "duplicate"): void {
    const { channel, accountId } = message.origin;
    this.#inputs.add({ channel, result });
    this.#logger.debug(result === "accepted" ? "Input accepted" : "Input known already", { inputId: id, sessionKey, channel, accountId });
  }

  /** A message of another bot was not answered, to end an exchange. */
  botStopped(channel: string): void {
    this.#stoppedBots.add({ channel });
  }

  /** A turn is active until the result is disposed. */
  turnStarted(turn: ObservedTurn): Disposable {
    const end = this.#spans.startTurn(turn.id, { "factotum.run.kind": turn.kind, "factotum.input.ids": [...turn.inputIds] });
    const open: OpenTurn = { startedAtMs: this.#clock.monotonic(), end, calls: new Map(), isEnded: false };
    this.#open.set(turn.id, open);
    this.#logger.debug("Turn started", { ...idsOf(turn), sessionKey: turn.sessionKey, kind: turn.kind });
    return {
      [Symbol.dispose]: () => {
        this.#open.delete(turn.id);
        for (const endCall of open.calls.values()) endCall({ "factotum.outcome": "left-open" });
        if (!open.isEnded) end({ "factotum.outcome": "left-open" });
      },
    };
  }

  /** The turn's final commit is durable. */
  turnEnded(turn: ObservedTurn, outcome: RunOutcome["type"]): void {
    this.#turns.add({ kind: turn.kind, outcome });
    const open = this.#open.get(turn.id);
    const durationMs = open === undefined ? undefined : this.#clock.monotonic() - open.startedAtMs;
    if (open !== undefined) {
      open.isEnded = true;
      open.end({ "factotum.outcome": outcome }, outcome === "failed" ? outcome : undefined);
    }
    if (durationMs !== undefined) this.#durations.observe({ kind: turn.kind }, durationMs / 1000);
    this.#logger.debug("Turn ended", { ...idsOf(turn), sessionKey: turn.sessionKey, kind: turn.kind, outcome, ...rounded({ durationMs }) });
  }

  /** A request is sent to a model. Call the result once, when the answer is complete. */
  modelCalled({ provider, model, kind }: ModelCallFacts): (end: ModelCallEnd) => void {
    const startedAtMs = this.#clock.monotonic();
    this.#logger.debug("Model asked", { provider, model, cause: kind });
    const endSpan = this.#spans.start("model call", {
      turnId: this.#currentTurn(),
      attributes: { "gen_ai.provider.name": provider, "gen_ai.request.model": model, "factotum.run.kind": kind },
      isRequest: true,
    });
    return (end) => {
      const outcome = callOutcome(end);
      this.#calls.add({ provider, cause: kind, outcome });
      const usage = end?.type === "message-end" ? end.message.usage : end?.partial?.usage;
      const durationMs = this.#clock.monotonic() - startedAtMs;
      this.#logger.debug(ANSWERS[outcome], { provider, model, cause: kind, ...usage, ...rounded({ durationMs }) });
      const tokens = usage === undefined ? {} : { "gen_ai.usage.input_tokens": usage.input, "gen_ai.usage.output_tokens": usage.output };
      endSpan({ ...tokens, "factotum.outcome": outcome }, end?.type === "message-failed" ? end.error.code : undefined);
      if (usage === undefined) return;
      for (const type of ["input", "output", "cacheRead", "cacheWrite"] as const)
        this.#tokens.add({ provider, cause: kind, type }, usage[type]);
      if (usage.costUsd !== undefined) this.#cost.add({ provider, cause: kind }, usage.costUsd);
    };
  }

  /** A request has failed for a reason that passes, and is sent again after a pause. */
  modelRetried({ provider, model, error, nextTry, maxTries, delayMs }: ModelRetry, { kind }: Pick<ModelCallFacts, "kind">): void {
    this.#retries.add({ provider, cause: kind, reason: error.code });
    const fields = { provider, model, cause: kind, code: error.code, detail: error.message, nextTry, maxTries, delayMs };
    this.#logger.warn("A model request is retried", fields);
  }

  /** A tool starts. */
  toolStarted(turn: ObservedTurn, call: ObservedCall): void {
    const { name = "unknown", traits } = call.tool ?? {};
    const attributes = { "gen_ai.tool.name": name, "factotum.tool.effect": traits?.effect ?? "unknown" };
    this.#open.get(turn.id)?.calls.set(call.id, this.#spans.start("tool call", { turnId: turn.id, attributes }));
    this.#logger.debug("Tool started", { callId: call.id, ...toolOf(call) });
  }

  /** A call has its result, whether it was run or not. */
  toolEnded(turn: ObservedTurn, call: ObservedCall, { isError }: { readonly isError: boolean }): void {
    const calls = this.#open.get(turn.id)?.calls;
    const endSpan = calls?.get(call.id);
    calls?.delete(call.id);
    const outcome = endSpan === undefined ? "not-run" : isError ? "error" : "ok";
    endSpan?.({ "factotum.outcome": outcome }, isError ? outcome : undefined);
    this.#tools.add({ effect: call.tool?.traits.effect ?? "unknown", outcome });
    this.#logger.debug("Tool ended", { callId: call.id, ...toolOf(call), outcome });
  }

  /** A message is sent to its platform. Call the result with the receipt. */
  sendStarted(row: OutboxRecord): (receipt: SendReceipt) => void {
    const { id, turnId, inputIds } = row;
    const { channel } = row.target;
    const fields = { ...rowIds(row), channel };
    this.#logger.debug("Message leaves", fields);
    const inputs = inputIds === undefined ? {} : { "factotum.input.ids": [...inputIds] };
    const attributes = { "factotum.outbox.id": id, "factotum.channel": channel, ...inputs };
    const endSpan = this.#spans.start("send", { turnId, attributes, isRequest: true });
    return (receipt) => {
      endSpan({ "factotum.receipt": receipt.type }, receipt.type === "accepted" ? undefined : receipt.type);
      this.#sends.add({ channel, receipt: receipt.type });
      // Messages that were not accepted are logged by the code that handles them.
      if (receipt.type === "accepted") this.#logger.debug("Message delivered", { ...fields, messageIds: receipt.messageIds });
    };
  }

  /** Counts since the start. */
  counted(): Pick<CollectedMetrics, Counted> {
    return {
      factotum_inputs_accepted_total: this.#inputs.samples(),
      factotum_bot_messages_stopped_total: this.#stoppedBots.samples(),
      factotum_turns_total: this.#turns.samples(),
      factotum_turn_duration_seconds: this.#durations.samples(),
      factotum_model_calls_total: this.#calls.samples(),
      factotum_model_retries_total: this.#retries.samples(),
      factotum_model_tokens_total: this.#tokens.samples(),
      factotum_model_cost_usd_total: this.#cost.samples(),
      factotum_tool_calls_total: this.#tools.samples(),
      factotum_sends_total: this.#sends.samples(),
    };
  }
}

type Counted =
  | "factotum_inputs_accepted_total"
  | "factotum_bot_messages_stopped_total"
  | "factotum_turns_total"
  | "factotum_turn_duration_seconds"
  | "factotum_model_calls_total"
  | "factotum_model_retries_total"
  | "factotum_model_tokens_total"
  | "factotum_model_cost_usd_total"
  | "factotum_tool_calls_total"
  | "factotum_sends_total";

function callOutcome(end: ModelCallEnd): "answered" | "failed" | "aborted" {
  if (end === undefined) return "aborted";
  if (end.type === "message-end") return "answered";
  return end.error.code === "aborted" ? "aborted" : "failed";
}

const ANSWERS = { answered: "Model answered", failed: "Model failed", aborted: "Model was not heard to its end" } as const;

function idsOf({ id, inputIds }: ObservedTurn): { readonly turnId: string; readonly inputIds: readonly string[] } {
  return { turnId: id, inputIds };
}

/** The registered name of a tool: an unknown name comes from the model and is not logged. */
function toolOf({ tool }: ObservedCall): { readonly tool?: string } {
  return tool === undefined ? {} : { tool: tool.name };
}

function rounded({ durationMs }: { readonly durationMs: number | undefined }): { readonly durationMs?: number } {
  return durationMs === undefined ? {} : { durationMs: Math.round(durationMs) };
}
