import type { Clock, ModelEvent, RunKind, RunOutcome, ToolTraits } from "@factotum/agent-contract";
import type { SendReceipt } from "@factotum/channel-contract";
import type { InputRecord, OutboxRecord, TurnRecord } from "@factotum/store";
import type { CollectedMetrics } from "./render-metrics.ts";
import { Durations, Tally } from "./tally.ts";

/** What the observer stands on. */
export interface ObserverOptions {
  readonly clock: Clock;
}

/** What the observer needs of a turn. */
export type ObservedTurn = Pick<TurnRecord, "id" | "kind">;

/** A model call's place in the gateway's work. */
export interface ModelCallFacts {
  readonly provider: string;
  readonly kind: RunKind;
}

/** How a model call ended; `undefined`: whoever asked has stopped listening. */
export type ModelCallEnd = Extract<ModelEvent, { readonly type: "message-end" | "message-failed" }> | undefined;

/** What a tool does; `unknown` for a name that no tool has. */
type ToolEffect = ToolTraits["effect"] | "unknown";

interface OpenTurn {
  readonly startedAtMs: number;
  /** Calls that have begun. */
  readonly calls: Set<string>;
}

/**
 * Is told what happens on a message's way, and counts it. Labels have values from closed lists and from the configuration alone, so that what others
 * write makes no series of its own.
 */
export class Observer {
  readonly #clock: Clock;
  readonly #open = new Map<string, OpenTurn>();
  readonly #inputs = new Tally("factotum_inputs_accepted_total");
  readonly #turns = new Tally("factotum_turns_total");
  readonly #durations = new Durations("factotum_turn_duration_seconds");
  readonly #calls = new Tally("factotum_model_calls_total");
  readonly #tokens = new Tally("factotum_model_tokens_total");
  readonly #cost = new Tally("factotum_model_cost_usd_total");
  readonly #tools = new Tally("factotum_tool_calls_total");
  readonly #sends = new Tally("factotum_sends_total");

  constructor({ clock }: ObserverOptions) {
    this.#clock = clock;
  }

  /** An event was committed, or had been before. */
  inputTaken({ message }: InputRecord, result: "accepted" | "duplicate"): void {
    this.#inputs.add({ channel: message.origin.channel, result });
  }

  /** A turn is worked on, until what this returns is disposed. */
  turnStarted(turn: ObservedTurn): Disposable {
    this.#open.set(turn.id, { startedAtMs: this.#clock.monotonic(), calls: new Set() });
    return { [Symbol.dispose]: () => void this.#open.delete(turn.id) };
  }

  /** The last commit of a turn stands. */
  turnEnded(turn: ObservedTurn, outcome: RunOutcome["type"]): void {
    this.#turns.add({ kind: turn.kind, outcome });
    const open = this.#open.get(turn.id);
    if (open !== undefined) this.#durations.observe({ kind: turn.kind }, (this.#clock.monotonic() - open.startedAtMs) / 1000);
  }

  /** A request goes to a model. Call what it returns once, when the answer is there. */
  modelCalled({ provider, kind }: ModelCallFacts): (end: ModelCallEnd) => void {
    return (end) => {
      this.#calls.add({ provider, cause: kind, outcome: callOutcome(end) });
      const usage = end?.type === "message-end" ? end.message.usage : end?.partial?.usage;
      if (usage === undefined) return;
      for (const type of ["input", "output", "cacheRead", "cacheWrite"] as const)
        this.#tokens.add({ provider, cause: kind, type }, usage[type]);
      if (usage.costUsd !== undefined) this.#cost.add({ provider, cause: kind }, usage.costUsd);
    };
  }

  /** A tool begins to run. */
  toolStarted(turn: ObservedTurn, callId: string): void {
    this.#open.get(turn.id)?.calls.add(callId);
  }

  /** A call has its result, whether it was run or not. */
  toolEnded(
    turn: ObservedTurn,
    callId: string,
    { effect = "unknown", isError }: { readonly effect?: ToolEffect | undefined; readonly isError: boolean },
  ): void {
    const ran = this.#open.get(turn.id)?.calls.delete(callId) === true;
    this.#tools.add({ effect, outcome: !ran ? "not-run" : isError ? "error" : "ok" });
  }

  /** A message goes to its platform. Call what it returns with what the platform said. */
  sendStarted({ target }: OutboxRecord): (receipt: SendReceipt) => void {
    return ({ type }) => this.#sends.add({ channel: target.channel, receipt: type });
  }

  /** What has been counted since the start. */
  counted(): Pick<CollectedMetrics, Counted> {
    return {
      factotum_inputs_accepted_total: this.#inputs.samples(),
      factotum_turns_total: this.#turns.samples(),
      factotum_turn_duration_seconds: this.#durations.samples(),
      factotum_model_calls_total: this.#calls.samples(),
      factotum_model_tokens_total: this.#tokens.samples(),
      factotum_model_cost_usd_total: this.#cost.samples(),
      factotum_tool_calls_total: this.#tools.samples(),
      factotum_sends_total: this.#sends.samples(),
    };
  }
}

type Counted =
  | "factotum_inputs_accepted_total"
  | "factotum_turns_total"
  | "factotum_turn_duration_seconds"
  | "factotum_model_calls_total"
  | "factotum_model_tokens_total"
  | "factotum_model_cost_usd_total"
  | "factotum_tool_calls_total"
  | "factotum_sends_total";

function callOutcome(end: ModelCallEnd): "answered" | "failed" | "aborted" {
  if (end === undefined) return "aborted";
  if (end.type === "message-end") return "answered";
  return end.error.code === "aborted" ? "aborted" : "failed";
}
