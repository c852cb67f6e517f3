import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { loopDelayEnvironment, readLoopDelay, resetLoopDelay } from "./measure/loop-delay.ts";
import { measureChannels } from "./measure/measure-channels.ts";
import { measureCommands } from "./measure/measure-commands.ts";
import { measureHello } from "./measure/measure-hello.ts";
import { measureInstall } from "./measure/measure-install.ts";
import { measureLoad, turnsPerSecond } from "./measure/measure-load.ts";
import { measureSessions } from "./measure/measure-sessions.ts";
import { measureStarts } from "./measure/measure-starts.ts";
import { measureToolTurns, measureTurns } from "./measure/measure-turns.ts";
import { readTreeUsage } from "./measure/process-tree.ts";
import { productEntry } from "@factotum/testing-product";
import type { Plan } from "./plan.ts";
import type { Measurements } from "./report/figures.ts";
import { startFloor } from "./sides/floor-side.ts";
import { createProductHome, type ProductHome } from "./sides/product-side.ts";
import { startProvider, type Provider } from "./sides/provider.ts";

const TURNS_BEFORE_LOAD = 1000;

/** What a run needs in addition to its plan. */
export interface RunOptions {
  /** Another build than this checkout's. */
  readonly entry: string | undefined;
  /** Called with the name of each measurement. */
  readonly onStep: (step: string) => void;
}

/** Measures the built product against the floor. */
export async function runBench(
  plan: Plan,
  { entry, onStep }: RunOptions,
): Promise<{ readonly version: string; readonly figures: Measurements }> {
  await using provider = await startProvider();
  await using home = await createProductHome(provider.url, entry);
  const version = await home.readVersion();
  onStep("an installation");
  const install = await measureInstall(entry ?? productEntry);
  onStep("five channels");
  const channels = await measureChannels(plan.channels, { provider: provider.url, entry });
  if (plan.sizesOnly)
    return { version, figures: { ...onlySizes(await measureInTurn(plan, home, provider, onStep)), ...channels, ...install } };
  onStep("commands");
  const commands = await measureCommands(home, plan.commandRuns);
  onStep("starts");
  const starts = await measureStarts(home, provider, plan.starts);
  const turns = await measureInTurn(plan, home, provider, onStep);
  const load = await measureAtOnce(plan, home, provider, onStep);
  onStep("100,000 sessions, and 10,000 messages in one");
  await using crowded = await createProductHome(provider.url, entry);
  const sessions = await measureSessions(crowded, plan.sessions);
  return { version, figures: { ...starts, ...commands, ...turns, ...load, ...sessions, ...channels, ...install } };
}

function onlySizes({ idleMemory, usedMemory, disk, hello, helloTokens }: Measurements): Measurements {
  return Object.fromEntries(
    Object.entries({ idleMemory, usedMemory, disk, hello, helloTokens }).filter(([, value]) => value !== undefined),
  );
}

/** An unmodified gateway: memory, sizes, sequential turns. */
async function measureInTurn(plan: Plan, home: ProductHome, provider: Provider, onStep: RunOptions["onStep"]): Promise<Measurements> {
  await using floor = await startFloor(provider.url);
  const side = await home.start();
  try {
    onStep(`idle memory after ${plan.idleMs / 1000} s`);
    await delay(plan.idleMs);
    const idleMemory = { value: readTreeUsage(side.pid).memoryMiB, floor: readTreeUsage(floor.pid).memoryMiB };
    const contest = { product: side, floor, provider };
    onStep("turns");
    const turns = await measureTurns(contest, plan.turns, home.folder);
    if (plan.sizesOnly) return { idleMemory, ...turns, ...(await measureHello(side, provider)) };
    onStep("turns with a tool call");
    const toolTurns = await measureToolTurns(contest, plan.toolTurns);
    return { idleMemory, ...turns, ...toolTurns, ...(await measureHello(side, provider)) };
  } finally {
    await side.product.end("SIGKILL");
  }
}

/** A gateway that reports its event loop's delay: many concurrent sessions. */
async function measureAtOnce(plan: Plan, home: ProductHome, provider: Provider, onStep: RunOptions["onStep"]): Promise<Measurements> {
  await using floor = await startFloor(provider.url);
  const folder = await mkdtemp(path.join(tmpdir(), "factotum-loop-delay-"));
  const file = path.join(folder, "delay.json");
  const side = await home.start({ env: loopDelayEnvironment(file) });
  try {
    const contest = { product: side, floor, provider };
    const { rounds, turnsOf16, turnsOf256 } = plan.load;
    onStep("16 sessions at once");
    // Both have had as many turns as the peer has before its load.
    for (const warm of [floor, side]) await turnsPerSecond(warm, { sessions: 40, turnsPerSession: TURNS_BEFORE_LOAD / 40 });
    await resetLoopDelay(side.pid, file);
    const rate16 = await measureLoad(contest, { sessions: 16, rounds, turnsPerSession: turnsOf16 });
    onStep("256 sessions at once");
    const rate256 = await measureLoad(contest, { sessions: 256, rounds, turnsPerSession: turnsOf256 });
    const delays = await readLoopDelay(side.pid, file);
    return { rate16, rate256, ...delays, loadedMemory: { value: readTreeUsage(side.pid).memoryMiB } };
  } finally {
    await side.product.end("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  }
}
