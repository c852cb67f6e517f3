import type { SessionStore, TurnRecord } from "@factotum/store";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import type { TurnConclusion } from "./turn-conclusion.ts";

/** The same alert is not sent again within this time. */
const REPEAT_MS = 24 * 60 * 60_000;

/** The conclusion of a heartbeat, silent if its text was the last one that a heartbeat of the session has sent, within a day. */
export async function withoutRepeatedAlert(
  turn: Pick<TurnRecord, "kind" | "sessionKey">,
  conclusion: TurnConclusion,
  { store, nowMs }: { readonly store: Pick<SessionStore, "readSession">; readonly nowMs: number },
): Promise<TurnConclusion> {
  const { say } = conclusion;
  if (!isAlert(turn, conclusion) || (say?.reply?.media ?? []).length > 0) return conclusion;
  const last = (await store.readSession(turn.sessionKey))?.lastHeartbeat;
  const isRepeated = last !== undefined && last.text === say?.text && nowMs - last.sentAtMs < REPEAT_MS;
  return isRepeated ? { inputState: { type: "silent" }, say: undefined, notice: undefined } : conclusion;
}

/** What the session remembers of a heartbeat whose answer is sent. */
export function sentAlert(
  turn: Pick<TurnRecord, "kind">,
  conclusion: TurnConclusion,
  nowMs: number,
): { readonly text: string; readonly sentAtMs: number } | undefined {
  return isAlert(turn, conclusion) && conclusion.say !== undefined ? { text: conclusion.say.text, sentAtMs: nowMs } : undefined;
}

function isAlert({ kind }: Pick<TurnRecord, "kind">, { say }: TurnConclusion): boolean {
  return RUN_POLICY[kind].reply === "unless-heartbeat-ok" && say?.purpose === "reply" && say.text !== "";
}
