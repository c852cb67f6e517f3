import type { AgentEvent, UserMessage } from "@factotum/agent-contract";
import { guard } from "./guard.ts";
import type { RunState } from "./run-state.ts";

/** Takes the messages that wait. After an abort nothing is taken: what waits stays where it is. */
export async function* takeSteering(run: RunState): AsyncGenerator<AgentEvent, readonly UserMessage[], undefined> {
  if (run.signal.aborted) return [];
  return yield* guard("steering.take", async () => [...(await run.input.steering.take())], []);
}

/** Makes taken messages part of the run and tells the consumer. Whatever was taken comes through here, however the run ends. */
export async function* joinSteering(run: RunState, messages: readonly UserMessage[]): AsyncGenerator<AgentEvent, void, undefined> {
  if (messages.length === 0) return;
  run.addSteering(messages);
  yield { type: "steering", turn: run.turn, messages };
}
