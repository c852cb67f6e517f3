import type { AgentEvent, UserMessage } from "@factotum/agent-contract";
import { guard } from "./guard.ts";
import type { RunState } from "./run-state.ts";

/** Takes the queued messages; none after an abort, so that they stay queued. */
export async function* takeSteering(run: RunState): AsyncGenerator<AgentEvent, readonly UserMessage[], undefined> {
  if (run.signal.aborted) return [];
  return yield* guard("steering.take", async () => [...(await run.input.steering.take())], []);
}

/** Adds taken messages to the run and emits them. Every taken message passes through here, however the run ends. */
export async function* joinSteering(run: RunState, messages: readonly UserMessage[]): AsyncGenerator<AgentEvent, void, undefined> {
  if (messages.length === 0) return;
  run.addSteering(messages);
  yield { type: "steering", turn: run.turn, messages };
}
