import type { Measurements } from "../report/figures.ts";
import { comparePairs, type Pair } from "../report/compare.ts";
import { startFloor } from "../sides/floor-side.ts";
import type { ProductHome } from "../sides/product-side.ts";
import type { Provider } from "../sides/provider.ts";
import { TurnClient } from "../sides/turn-client.ts";
import { PLAIN_MESSAGE } from "../sides/wire.ts";

/** Starts both sides repeatedly: the product on one state directory, killed each time, as its worst kind of stop. */
export async function measureStarts(home: ProductHome, provider: Provider, rounds: number): Promise<Measurements> {
  const starts: Pair[] = [];
  const firstTurns: Pair[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const floor = await timeFloorStart(provider.url);
    const side = await home.start();
    try {
      using client = new TurnClient(side);
      const productTurn = await client.turn(`start-${round}`, PLAIN_MESSAGE);
      starts.push({ product: side.readyAfterMs, floor: floor.readyAfterMs });
      firstTurns.push({ product: productTurn, floor: floor.firstTurnMs });
    } finally {
      await side.product.end("SIGKILL");
    }
  }
  return { start: comparePairs("start", starts), firstTurn: comparePairs("firstTurn", firstTurns) };
}

async function timeFloorStart(providerUrl: string): Promise<{ readonly readyAfterMs: number; readonly firstTurnMs: number }> {
  const startedAt = performance.now();
  await using floor = await startFloor(providerUrl);
  const readyAfterMs = performance.now() - startedAt;
  using client = new TurnClient(floor);
  return { readyAfterMs, firstTurnMs: await client.turn("start", PLAIN_MESSAGE) };
}
