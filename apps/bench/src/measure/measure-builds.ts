import { setTimeout as delay } from "node:timers/promises";
import type { Plan } from "../plan.ts";
import { comparePairs, type Pair, runPair } from "../report/compare.ts";
import type { Measurement, Measurements } from "../report/figures.ts";
import { createProductHome, type ProductHome } from "../sides/product-side.ts";
import { startProvider } from "../sides/provider.ts";
import { TurnClient } from "../sides/turn-client.ts";
import { PLAIN_MESSAGE } from "../sides/wire.ts";
import { measureHello } from "./measure-hello.ts";
import { measureLoad } from "./measure-load.ts";
import { type Contest, measureToolTurns, measureTurns } from "./measure-turns.ts";
import { readRestingMemory, readTreeUsage } from "./process-tree.ts";

/**
 * Measures a build against another one that takes the place of the floor: both run at the same time, in alternating rounds, so a busy machine affects both.
 * Only figures that two builds of any age have in common.
 */
export async function measureBuilds(
  plan: Plan,
  { entry, against, onStep }: { readonly entry: string | undefined; readonly against: string; readonly onStep: (step: string) => void },
): Promise<{ readonly version: string; readonly figures: Measurements }> {
  await using provider = await startProvider();
  await using home = await createProductHome(provider.url, entry);
  await using otherHome = await createProductHome(provider.url, against);
  const version = await home.readVersion();
  onStep("starts");
  const starts = await measureStartsOfBoth(home, otherHome, plan.starts);
  const product = await home.start();
  const floor = await otherHome.start();
  try {
    onStep(`idle memory after ${plan.idleMs / 1000} s`);
    await delay(plan.idleMs);
    const contest: Contest = { product, floor, provider, floorHasTools: true };
    const idleMemory = comparePairs("idleMemory", [
      { product: readTreeUsage(product.pid).memoryMiB, floor: readTreeUsage(floor.pid).memoryMiB },
    ]);
    onStep("turns");
    const turns = await measureTurns(contest, plan.turns, home.folder);
    onStep("turns with a tool call");
    const toolTurns = await measureToolTurns(contest, plan.toolTurns);
    const { rounds, turnsOf16, turnsOf256 } = plan.load;
    onStep("16 sessions at once");
    const rate16 = await measureLoad(contest, { sessions: 16, rounds, turnsPerSession: turnsOf16 });
    onStep("256 sessions at once");
    const rate256 = await measureLoad(contest, { sessions: 256, rounds, turnsPerSession: turnsOf256 });
    const loadedMemory = comparePairs("loadedMemory", [
      { product: await readRestingMemory(product.pid), floor: await readRestingMemory(floor.pid) },
    ]);
    const hello = await measureHello(product, provider);
    const otherHello = await measureHello(floor, provider);
    const both = { hello: join(hello.hello, otherHello.hello), helloTokens: join(hello.helloTokens, otherHello.helloTokens) };
    return { version, figures: { ...starts, idleMemory, ...turns, ...toolTurns, rate16, rate256, loadedMemory, ...both } };
  } finally {
    await product.product.end("SIGKILL");
    await floor.product.end("SIGKILL");
  }
}

function join(one: Measurement | undefined, other: Measurement | undefined): Measurement {
  if (one === undefined || other === undefined) throw new Error("The size of the first request was not measured.");
  return { value: one.value, floor: other.value, ratio: one.value / other.value };
}

async function measureStartsOfBoth(home: ProductHome, otherHome: ProductHome, rounds: number): Promise<Measurements> {
  const starts: Pair[] = [];
  const firstTurns: Pair[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { product, floor } = await runPair(round, { product: () => timeStart(home), floor: () => timeStart(otherHome) });
    starts.push({ product: product.readyAfterMs, floor: floor.readyAfterMs });
    firstTurns.push({ product: product.firstTurnMs, floor: floor.firstTurnMs });
  }
  return { start: comparePairs("start", starts), firstTurn: comparePairs("firstTurn", firstTurns) };
}

async function timeStart(home: ProductHome): Promise<{ readonly readyAfterMs: number; readonly firstTurnMs: number }> {
  const side = await home.start();
  try {
    using client = new TurnClient(side);
    return { readyAfterMs: side.readyAfterMs, firstTurnMs: await client.turn("start", PLAIN_MESSAGE) };
  } finally {
    await side.product.end("SIGKILL");
  }
}
