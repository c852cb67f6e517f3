import type { InboxStore, TurnRecord } from "@factotum/store";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import type { TurnConclusion } from "./turn-conclusion.ts";

/**
 * The part of a conclusion that goes to the chat of a turn. The reply of a session to another one is for that session alone, and so is the outcome of a command
 * that ran on after it.
 */
export async function sentPart(
  turn: Pick<TurnRecord, "kind" | "inputIds">,
  conclusion: TurnConclusion,
  store: Pick<InboxStore, "readInput">,
): Promise<TurnConclusion> {
  const [leadId] = turn.inputIds;
  if (RUN_POLICY[turn.kind].isFromPerson || conclusion.say === undefined || leadId === undefined) return conclusion;
  const step = (await store.readInput(leadId))?.admission.agentToAgent?.step;
  return step === "message" ? { ...conclusion, say: undefined } : conclusion;
}
