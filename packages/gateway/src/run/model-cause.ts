import { withoutUndefined } from "@factotum/agent-contract";
import type { PreparedTurn } from "../preparation/prepared-turn.ts";
import type { ModelCause } from "../requests/model-chain.ts";
import { runCause } from "../requests/run-cause.ts";
import type { SpawnBook } from "../subagents/spawn-book.ts";

/** What the requests of a turn are charged to. Notes before a compaction have no input, and use the budget that the compaction uses. */
export function modelCause({ facts, inputs }: Pick<PreparedTurn, "facts" | "inputs">, book: Pick<SpawnBook, "treeOf">): ModelCause {
  const cause = runCause(facts, inputs);
  return facts.kind === "memory" ? { ...cause, ...withoutUndefined({ tree: book.treeOf(facts.sessionKey) }) } : cause;
}
