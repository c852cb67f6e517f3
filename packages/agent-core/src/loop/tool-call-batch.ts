import { nearestName, withoutUndefined } from "@factotum/agent-contract";
import type {
  AgentEvent,
  AgentTool,
  AssistantMessage,
  RunOutcome,
  ToolCall,
  ToolResultMessage,
  UserMessage,
} from "@factotum/agent-contract";
import { DeltaQueue } from "./delta-queue.ts";
import { executeTool, toolError, toolStopped, type ToolOutcome } from "./execute-tool.ts";
import { guard } from "./guard.ts";
import type { ToolDecision } from "./run-input.ts";
import type { RunState } from "./run-state.ts";
import { settle } from "./settle.ts";
import { takeSteering } from "./steering.ts";
import { capContent } from "./truncate-tool-result.ts";

/** A call that was answered without running, or that is ready to start. */
type Prepared =
  | {
      readonly type: "answered";
      readonly call: ToolCall;
      readonly outcome: ToolOutcome;
      readonly skipped: boolean;
      readonly isExternal?: true;
    }
  | {
      readonly type: "ready";
      readonly call: ToolCall;
      readonly tool: AgentTool;
      readonly isConfirmed: boolean;
      readonly isForeign: boolean;
    };

type SkipReason = (call: ToolCall) => string;

const STOPPED: SkipReason = ({ name }) => `${name} was not run: the run had been stopped.`;
const STEERED: SkipReason = ({ name }) => `${name} was skipped: a message came in meanwhile and goes first. It follows.`;
const YIELDED: SkipReason = ({ name }) => `${name} was skipped: the turn had ended before it.`;
const CIRCLES: SkipReason = ({ name }) => `${name} was not run: the run was ended because it went in circles.`;

/** The calls of one message. Each gets exactly one result, also after a failure or an abort. */
export class ToolCallBatch {
  /** In call order. */
  readonly results: ToolResultMessage[] = [];
  /** Set when the run is over. */
  outcome: RunOutcome | undefined;
  /** A call has ended the turn. */
  isYielded = false;
  readonly #run: RunState;
  /** Why the arguments of a call could not be parsed, by its id. */
  readonly #unreadable: ReadonlyMap<string, string | undefined>;
  /** What an external agent says of the calls that it has made itself, by their ids. */
  readonly #external: ReadonlyMap<string, ToolResultMessage | undefined>;
  #skip: SkipReason | undefined;

  constructor(run: RunState, { content }: AssistantMessage, results: readonly ToolResultMessage[]) {
    this.#run = run;
    const calls = content.filter((block) => block.type === "toolCall");
    this.#unreadable = new Map(calls.map(({ id, unreadable }) => [id, unreadable]));
    const external = calls.filter((block) => block.external === true);
    this.#external = new Map(external.map(({ id }) => [id, results.find(({ toolCallId }) => toolCallId === id)]));
  }

  /** From now on, calls get this error instead of being run. The first reason wins. */
  skipRest(reason: SkipReason): void {
    this.#skip ??= reason;
  }

  /** True if the run can end with the calls of a client's tools; otherwise they are skipped from now on. `waiting`: the messages that go before them. */
  mayHandOver(waiting: readonly UserMessage[]): boolean {
    if (waiting.length > 0) this.skipRest(STEERED);
    if (this.#run.signal.aborted) this.skipRest(STOPPED);
    return this.#skip === undefined;
  }

  /** Runs calls sequentially. The queue is polled after every call; waiting messages go before calls that have not started. */
  async *runInTurn(calls: readonly ToolCall[]): AsyncGenerator<AgentEvent, readonly UserMessage[], undefined> {
    let waiting: readonly UserMessage[] = [];
    for (const call of calls) {
      const prepared = yield* this.#prepare(call);
      yield* this.#start([prepared]);
      yield* this.#finish([prepared]);
      if (this.#skip !== undefined) continue;
      waiting = yield* takeSteering(this.#run);
      if (waiting.length > 0) this.skipRest(STEERED);
    }
    return waiting;
  }

  /** Runs calls concurrently. The queue is polled once, before the start; running calls are not interrupted. */
  async *runTogether(calls: readonly ToolCall[]): AsyncGenerator<AgentEvent, readonly UserMessage[], undefined> {
    let prepared: Prepared[] = [];
    for (const call of calls) prepared.push(yield* this.#prepare(call));
    const waiting = this.#skip === undefined ? yield* takeSteering(this.#run) : [];
    if (waiting.length > 0) prepared = prepared.map((entry) => (entry.type === "ready" ? skipped(entry.call, STEERED) : entry));
    yield* this.#start(prepared);
    yield* this.#finish(prepared);
    return waiting;
  }

  async *#prepare(call: ToolCall): AsyncGenerator<AgentEvent, Prepared, undefined> {
    const run = this.#run;
    const known = run.input.knownResults?.get(call.id);
    if (known !== undefined) {
      const { content, isError = false, details, tainted } = known;
      const outcome = { content, isError, untrusted: tainted, ...withoutUndefined({ details }) };
      return { type: "answered", call, outcome, skipped: false };
    }
    if (this.#external.has(call.id)) return external(call, this.#external.get(call.id));
    if (run.signal.aborted) this.skipRest(STOPPED);
    if (this.#skip === undefined && run.toolCalls >= run.options.limits.maxToolCalls) this.#endAtLimit();
    if (this.#skip !== undefined) return skipped(call, this.#skip);
    run.toolCalls++;
    const fault = this.#unreadable.get(call.id);
    if (fault !== undefined) return refused(call, `${call.name} was not run: ${fault}\nCall it again with valid JSON.`);
    const tool = run.tools.get(call.name);
    if (tool === undefined)
      return refused(
        call,
        unknownTool(
          call,
          run.schemas.map(({ name }) => name),
        ),
      );
    const { signal, tainted, messages } = run;
    const ask = async (): Promise<ToolDecision> => {
      const answer = await settle(() => run.input.beforeTool(call, tool, { signal, tainted, messages }), signal);
      if (answer.type === "error") throw answer.error;
      if (answer.type === "aborted") return { type: "refuse", message: STOPPED(call) };
      // Validated here, so that an invalid decision counts as a failed check too.
      if (answer.value.type === "allow") return answer.value;
      const { message, isForeign } = answer.value;
      return { type: "refuse", message, ...(isForeign === true ? { isForeign } : {}) };
    };
    const denied: ToolDecision = { type: "refuse", message: `${call.name} was not run: the check before it failed. Tell the user.` };
    const decision = yield* guard("beforeTool", ask, denied);
    if (decision.type === "refuse" && signal.aborted) {
      this.skipRest(STOPPED);
      return skipped(call, STOPPED);
    }
    if (decision.type === "refuse") return refused(call, decision.message, decision.isForeign);
    const changed = decision.arguments === undefined ? call : { ...call, arguments: decision.arguments };
    return { type: "ready", call: changed, tool, isConfirmed: decision.isConfirmed === true, isForeign: decision.isForeign === true };
  }

  #endAtLimit(): void {
    const { maxToolCalls } = this.#run.options.limits;
    const message = `The run was ended before its work was done: it reached its limit of ${maxToolCalls} tool calls.`;
    this.outcome ??= { type: "failed", code: "max-tool-calls", message };
    this.skipRest(({ name }) => `${name} was not run: the run reached its limit of ${maxToolCalls} tool calls.`);
  }

  /** A call that never runs has no `tool-start`, so a started call without a result after a crash may have run. */
  async *#start(entries: readonly Prepared[]): AsyncGenerator<AgentEvent, void, undefined> {
    for (const { type, call } of entries) {
      if (type === "ready") yield { type: "tool-start", turn: this.#run.turn, call };
    }
  }

  /** Runs ready calls, at most `maxParallelTools` at a time, and emits the results in call order. */
  async *#finish(entries: readonly Prepared[]): AsyncGenerator<AgentEvent, void, undefined> {
    const run = this.#run;
    const deltas = new DeltaQueue();
    const outcomes = launch(run, entries, deltas);
    for (const [index, entry] of entries.entries()) {
      const pending = outcomes[index];
      if (pending === undefined) continue;
      yield* this.#watch(pending, deltas);
      const outcome = await pending;
      const { result, loop } = toResult(run, entry, outcome);
      this.results.push(result);
      run.addResult(result);
      yield { type: "tool-end", turn: run.turn, call: entry.call, result };
      if (outcome.endsTurn === true) {
        this.isYielded = true;
        this.skipRest(YIELDED);
      }
      if (loop === undefined) continue;
      this.outcome ??= { type: "failed", code: "loop", message: loop };
      this.skipRest(CIRCLES);
    }
  }

  /** Yields the output of running tools until this one has ended. */
  async *#watch(pending: Promise<unknown>, deltas: DeltaQueue): AsyncGenerator<AgentEvent, void, undefined> {
    const over = pending.then(() => true);
    for (let done = false; !done;) {
      done = await Promise.race([over, deltas.waiting.then(() => false)]);
      for (const delta of deltas.drain()) yield { type: "tool-delta", turn: this.#run.turn, ...delta };
    }
  }
}

function skipped(call: ToolCall, reason: SkipReason): Prepared {
  const outcome = reason === STOPPED ? toolStopped(reason(call)) : toolError(reason(call));
  return { type: "answered", call, outcome, skipped: true };
}

/** Nothing of it is ours: neither limits nor the detection of loops count it. */
function external(call: ToolCall, result: ToolResultMessage | undefined): Prepared {
  const { content, isError, details } = result ?? { ...toolError("The agent did not say how it ended."), details: undefined };
  const outcome = { content, isError, untrusted: false, ...withoutUndefined({ details }) };
  return { type: "answered", call, outcome, skipped: true, isExternal: true };
}

function refused(call: ToolCall, message: string, untrusted = false): Prepared {
  return { type: "answered", call, outcome: { ...toolError(message), untrusted }, skipped: false };
}

function unknownTool(call: ToolCall, names: readonly string[]): string {
  const known = names.length === 0 ? "There are no tools in this run." : `The tools are: ${names.join(", ")}.`;
  const nearest = nearestName(call.name, names);
  const guess = nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`;
  return `There is no tool called ${JSON.stringify(call.name)}.${guess} ${known}`;
}

/** One promise per call, in call order; none of them rejects. */
function launch(run: RunState, entries: readonly Prepared[], deltas: DeltaQueue): readonly Promise<ToolOutcome>[] {
  const slots = entries.map(() => Promise.withResolvers<ToolOutcome>());
  const queue = entries.entries();
  const worker = async (): Promise<void> => {
    for (const [index, entry] of queue) {
      const outcome = entry.type === "answered" ? entry.outcome : await execute(run, entry, deltas);
      slots[index]?.resolve(outcome);
    }
  };
  const workers = Math.max(1, Math.min(run.options.limits.maxParallelTools, entries.length));
  for (let count = 0; count < workers; count++) void worker();
  return slots.map(({ promise }) => promise);
}

function execute(
  run: RunState,
  { tool, call, isConfirmed, isForeign }: Extract<Prepared, { type: "ready" }>,
  deltas: DeltaQueue,
): Promise<ToolOutcome> {
  const { signal, input } = run;
  return executeTool(tool, call, {
    signal,
    tainted: (run.tainted || isForeign) && !isConfirmed,
    run: input.facts,
    onDelta: (text) => deltas.push(call.id, text),
  });
}

/** Builds the result message, truncated once and for all. `loop`: the verdict of the loop detector. */
function toResult(
  run: RunState,
  entry: Prepared,
  outcome: ToolOutcome,
): { readonly result: ToolResultMessage; readonly loop: string | undefined } {
  const { call } = entry;
  const { isError, details } = outcome;
  const limit = run.options.maxToolResultChars;
  let content = capContent(outcome.content, limit);
  const skippedCall = entry.type === "answered" && entry.skipped;
  const verdict = skippedCall ? undefined : run.loops.record(call, { content, isError });
  if (verdict?.type === "repeating") {
    content = [...capContent(outcome.content, Math.max(0, limit - verdict.note.length)), { type: "text", text: verdict.note }];
  }
  const result: ToolResultMessage = {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content,
    ...withoutUndefined({ details }),
    isError,
    ...(outcome.untrusted ? { tainted: true } : {}),
    ...(entry.type === "answered" && entry.isExternal === true ? { external: true } : {}),
    timestamp: run.input.now(),
  };
  return { result, loop: verdict?.type === "loop" ? verdict.message : undefined };
}
