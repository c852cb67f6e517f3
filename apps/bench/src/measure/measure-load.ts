import { comparePairs, type Pair, runPair } from "../report/compare.ts";
import type { Measurement } from "../report/figures.ts";
import type { Side } from "../sides/side.ts";
import { TurnClient } from "../sides/turn-client.ts";
import { PLAIN_MESSAGE, TURNS_PER_SESSION } from "../sides/wire.ts";
import type { Contest } from "./measure-turns.ts";

/** Concurrent sessions, each with sequential turns; in alternating rounds, the first of which warms up. */
export async function measureLoad(
  { product, floor }: Contest,
  plan: { readonly sessions: 16 | 256; readonly rounds: number; readonly turnsPerSession: number },
): Promise<Measurement> {
  const pairs: Pair[] = [];
  for (let round = 0; round <= plan.rounds; round += 1) {
    const pair = await runPair(round, {
      product: () => turnsPerSecond(product, plan, round),
      floor: () => turnsPerSecond(floor, plan, round),
    });
    if (round > 0) pairs.push(pair);
  }
  return comparePairs(plan.sessions === 16 ? "rate16" : "rate256", pairs);
}

/** Runs the turns of all sessions, sequentially within a session. A later round continues the sessions. */
export async function turnsPerSecond(
  side: Side,
  plan: { readonly sessions: number; readonly turnsPerSession: number },
  round = 0,
): Promise<number> {
  using client = new TurnClient(side);
  const startedAt = performance.now();
  const sessions = Array.from({ length: plan.sessions }, async (_, session) => {
    for (let turn = 0; turn < plan.turnsPerSession; turn += 1) {
      const conversation = Math.floor((round * plan.turnsPerSession + turn) / TURNS_PER_SESSION);
      await client.turn(`load-${plan.sessions}-${session}-${conversation}`, PLAIN_MESSAGE);
    }
  });
  await Promise.all(sessions);
  return (plan.sessions * plan.turnsPerSession * 1000) / (performance.now() - startedAt);
}
