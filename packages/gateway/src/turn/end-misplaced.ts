import type { InputRecord, TurnRecord } from "@factotum/store";
import { withPresentOwner } from "../access/owner.ts";
import { endUnbegun } from "./end-unbegun.ts";
import { isMisplaced } from "../conversation/current-authorization.ts";
import type { CurrentPolicy } from "../conversation/current-authorization.ts";
import { readInputs } from "./prepare-turn.ts";
import type { TurnServices } from "../services/turn-services.ts";

/** Why such a turn ends, as its session's conversation says. */
const MISPLACED = "its sender has another conversation now";

/**
 * Ends a turn that an earlier process left in a session to which its inputs do not belong any more: it must not go on with the words of that session.
 * Resolves with the inputs that wait now, to begin again where they belong. When something of the turn was shown or done already there are none: then the
 * chat is told to ask again, so that nothing happens twice.
 */
export async function endMisplacedTurn(
  turn: TurnRecord,
  inputs: readonly InputRecord[],
  services: TurnServices,
): Promise<readonly InputRecord[]> {
  const { store } = services;
  // Calls that only read have no row in the journal.
  const hasActed = (await store.hasOutbound(turn.id)) || (await store.readJournal(turn.id)).length > 0;
  await endUnbegun(turn, { type: "aborted", reason: MISPLACED }, services, { misplaced: hasActed ? "ask-again" : "begin-again" });
  return hasActed ? [] : inputs;
}

/**
 * Ends the misplaced ones of the turns that an earlier process left, and resolves with the others. Call it before any input is taken up, so that what waits
 * again keeps its place among the inputs of its sender.
 */
export async function endMisplacedTurns(
  turns: readonly TurnRecord[],
  policy: CurrentPolicy,
  services: TurnServices,
): Promise<readonly TurnRecord[]> {
  const { ownerAllowFrom } = services.running.config.commands;
  const others: TurnRecord[] = [];
  for (const turn of turns) {
    try {
      const inputs = await readInputs(turn, services);
      // Of those who may talk no more nobody is told; that is decided when the turn is taken up.
      const isAdmitted = inputs.every((input) => policy.admits(withPresentOwner(input, ownerAllowFrom)));
      if (isAdmitted && inputs.some((input) => isMisplaced(turn.sessionKey, input, policy, services.running.config)))
        await endMisplacedTurn(turn, inputs, services);
      else others.push(turn);
    } catch (error) {
      // It is judged again when it is taken up, and does not keep the others from going on.
      services.logger.error("A turn in a session that its sender lost could not be ended", { turnId: turn.id, error });
      others.push(turn);
    }
  }
  return others;
}
