import { withoutUndefined } from "@factotum/agent-contract";
import type { AgentEvent, AssistantMessage, RunOutcome, ToolCall } from "@factotum/agent-contract";
import { RUN_TRAITS } from "../run-kinds/run-traits.ts";
import { markClientCalls, splitCalls } from "./client-calls.ts";
import { requestModel, type ModelAnswer } from "./request-model.ts";
import type { RunAgentInput, RunAgentOptions } from "./run-input.ts";
import { hasText, RunState } from "./run-state.ts";
import { describeError } from "./settle.ts";
import { joinSteering, takeSteering } from "./steering.ts";
import { ToolCallBatch } from "./tool-call-batch.ts";

/** The abort reason for work that outlives its run. Created once, because capturing a stack is expensive and this one has no value. */
const OVER = new Error("the run is over");

/**
 * Runs the agent: model request, tool calls, results, next request, until the model answers without calls.
 *
 * Emits `run-start` first and `run-end` last: done, aborted or failed; it never rejects. It is pull-based: nothing happens until the consumer asks for the next
 * event, so what the consumer commits on an event is durable before the loop continues (`AgentEvent`). Every tool call of a `message-end` gets exactly one
 * `tool-end`; a call that never ran (unknown, refused, skipped) has no `tool-start`. A turn in which the model produced nothing has no `message-end` and no
 * `turn-end`. An empty answer is requested once more in the same turn; the next `message-start` withdraws its thinking. A consumer that leaves early aborts the
 * request and running tools.
 *
 * Calls of a client's tools are not run: the other calls of their answer are, and then the run ends as `done` with `clientCalls`. If it cannot end there (it was
 * stopped, it reached a limit, or a message was steered into it), they are skipped like other calls.
 *
 * Calls that an external agent has made itself (`external`) are neither checked nor run nor counted: what it says of them is their result.
 *
 * A call whose result ends the turn (`endsTurn`) ends the run as `done` with `yielded`; calls after it are skipped.
 *
 * Without a prompt it continues from the history. A history that ends with an answer is a finished run: its outcome is emitted at once, without a request.
 */
export async function* runAgent(input: RunAgentInput, options: RunAgentOptions): AsyncIterable<AgentEvent> {
  yield { type: "run-start", kind: input.facts.kind };
  const left = new AbortController();
  const { signal } = options;
  const onAbort = (): void => left.abort(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  const run = new RunState(input, { ...options, signal: left.signal });
  let outcome: RunOutcome;
  try {
    outcome = yield* turns(run);
  } catch (error) {
    outcome = { type: "failed", code: "internal", message: `The run broke: ${describeError(error)}` };
  } finally {
    // Work that is still running ignored an abort, or the consumer has left: its result is discarded.
    signal.removeEventListener("abort", onAbort);
    left.abort(OVER);
  }
  yield { type: "run-end", outcome, usage: run.usage };
}

async function* turns(run: RunState): AsyncGenerator<AgentEvent, RunOutcome, undefined> {
  const { maxTurns } = run.options.limits;
  for (;;) {
    if (run.signal.aborted) return aborted(run);
    if (run.turn >= maxTurns) {
      const message = `The run was ended before its work was done: it reached its limit of ${maxTurns} model requests.`;
      return { type: "failed", code: "max-turns", message };
    }
    run.turn++;
    yield { type: "turn-start", turn: run.turn };
    yield* joinSteering(run, yield* takeSteering(run));
    const standing = run.turn === 1 ? standingOutcome(run) : undefined;
    if (standing !== undefined) return standing;
    const outcome = yield* answerAndAct(run);
    if (outcome !== undefined) return outcome;
  }
}

/** One model request and its tool calls. Returns the outcome when the run is over. */
async function* answerAndAct(run: RunState): AsyncGenerator<AgentEvent, RunOutcome | undefined, undefined> {
  let answer = yield* requestModel(run);
  if (answer.type === "answered" && mayAskAgain(run, answer.message)) {
    run.isAskedAgain = true;
    run.charge(answer.message);
    answer = yield* requestModel(run);
  }
  const given = answer.type === "answered" ? answer.message : answer.partial;
  if (given === undefined) return outcomeOf(run, answer);
  const message = markClientCalls(given, run.clientTools);
  run.addAnswer(message);
  yield { type: "message-end", turn: run.turn, message };
  const { own: calls, client } = splitCalls(message);
  const batch = new ToolCallBatch(run, message, answer.type === "answered" ? answer.results : []);
  if (message.stopReason === "length") {
    // Arguments that parse may still be incomplete.
    batch.skipRest(
      ({ name }) =>
        `${name} was not run: the answer reached its length limit. Call it again with shorter arguments; do long work in several calls.`,
    );
  }
  const together = calls.length > 1 && calls.every(({ name }) => run.tools.get(name)?.traits.parallel === true);
  const waiting = together ? yield* batch.runTogether(calls) : yield* batch.runInTurn(calls);
  const isHandedOver = client.length > 0 && batch.mayHandOver(waiting);
  if (!isHandedOver) yield* batch.runInTurn(client);
  yield* joinSteering(run, waiting);
  yield { type: "turn-end", turn: run.turn, message, toolResults: batch.results };
  if (isHandedOver) return { type: "done", message, clientCalls: client };
  batch.outcome ??= unusableOutcome(run, message);
  if (batch.isYielded && batch.outcome === undefined) return { type: "done", message, yielded: true };
  return calls.length + client.length === 0 ? outcomeOf(run, answer) : batch.outcome;
}

/** An empty answer is retried once, except at the output limit, where the retry would end the same way. */
function mayAskAgain(run: RunState, message: AssistantMessage): boolean {
  if (run.isAskedAgain || message.stopReason !== "stop" || !RUN_TRAITS[run.input.facts.kind].needsAnswer) return false;
  return callsOf(message).length === 0 && !hasText(message) && !run.hasSpoken;
}

/** Maximum unusable answers in a row. Each of them costs money, and the model got the errors of the previous ones. */
const MAX_UNUSABLE_ANSWERS = 3;

/** Ends a run whose model keeps writing calls that are truncated or cannot be parsed. */
function unusableOutcome(run: RunState, { content, stopReason, provider, model, usage }: AssistantMessage): RunOutcome | undefined {
  const calls = content.filter((block) => block.type === "toolCall");
  const isCut = stopReason === "length";
  const isUnusable = calls.length > 0 && (isCut || calls.every(({ unreadable }) => unreadable !== undefined));
  run.unusableAnswers = isUnusable ? run.unusableAnswers + 1 : 0;
  if (run.unusableAnswers < MAX_UNUSABLE_ANSWERS) return undefined;
  const times = `${MAX_UNUSABLE_ANSWERS} times in a row`;
  return isCut
    ? {
        type: "failed",
        code: "output-limit",
        message: `${provider}/${model} reached its output limit (${usage.output} tokens) inside a tool call, ${times}.`,
      }
    : { type: "failed", code: "malformed-calls", message: `${provider}/${model} wrote tool calls that cannot be read, ${times}.` };
}

function callsOf(message: AssistantMessage): readonly ToolCall[] {
  return message.content.flatMap((block) =>
    block.type === "toolCall" ? [{ id: block.id, name: block.name, arguments: block.arguments }] : [],
  );
}

function outcomeOf(run: RunState, answer: ModelAnswer): RunOutcome {
  switch (answer.type) {
    case "answered":
      return { type: "done", message: answer.message };
    case "aborted":
      return aborted(run);
    case "failed":
      return failure(answer);
    default:
      return answer satisfies never;
  }
}

function failure({ code, message, retryAfterMs }: Extract<ModelAnswer, { type: "failed" }>): RunOutcome {
  return { type: "failed", code, message, ...withoutUndefined({ retryAfterMs }) };
}

function aborted(run: RunState): RunOutcome {
  return { type: "aborted", reason: run.abortReason };
}

/** The outcome of a run that has nothing to ask the model: its history is empty or ends with an answer. */
function standingOutcome(run: RunState): RunOutcome | undefined {
  const last = run.messages.at(-1);
  if (last === undefined)
    return { type: "failed", code: "internal", message: "There is nothing to answer: neither a prompt nor a history." };
  if (last.role !== "assistant" || callsOf(last).length > 0) return undefined;
  if (last.stopReason === "aborted") return { type: "aborted", reason: last.errorMessage ?? "aborted" };
  if (last.stopReason === "error") return { type: "failed", code: "truncated", message: last.errorMessage ?? "The last answer broke off." };
  return { type: "done", message: last };
}
