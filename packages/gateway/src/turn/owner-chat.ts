import type { TurnRecord } from "@factotum/store";
import { readInputs } from "./prepare-turn.ts";
import { withCurrentAuthorization } from "../conversation/current-authorization.ts";
import type { TurnServices } from "../services/turn-services.ts";

/** True when a turn's answer is read by the owner alone: a direct conversation in which everything was said by who is the owner now. */
export async function isOwnerChat(turn: TurnRecord, services: Pick<TurnServices, "store" | "running">): Promise<boolean> {
  if (!turn.owner || turn.origin.conversation.kind !== "direct") return false;
  return withCurrentAuthorization(turn, await readInputs(turn, services), services.running.config).owner;
}
