import type { RunningConfig } from "../agents/running-config.ts";
import type { InboxStore, TurnRecord } from "@factotum/store";
import { readInputs } from "../queue/asking-turn.ts";
import { withCurrentAuthorization } from "../conversation/current-authorization.ts";

/** True if only the owner reads a turn's answer: a direct conversation in which every input is from the current owner. */
export async function isOwnerChat(
  turn: TurnRecord,
  { store, running }: { readonly store: InboxStore; readonly running: RunningConfig },
): Promise<boolean> {
  if (!turn.owner || turn.origin.conversation.kind !== "direct") return false;
  return withCurrentAuthorization(turn, await readInputs(turn, store), running.config).owner;
}
