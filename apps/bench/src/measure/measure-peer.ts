import { setTimeout as delay } from "node:timers/promises";
import type { Measurements } from "../report/figures.ts";
import { percentile } from "../report/percentile.ts";
import { installPeer, type PeerSide } from "../sides/peer-side.ts";
import { startProvider, type Provider } from "../sides/provider.ts";
import { TurnClient } from "../sides/turn-client.ts";
import { PLAIN_MESSAGE, TOOL_MESSAGE, TURNS_PER_SESSION } from "../sides/wire.ts";
import { measureHello } from "./measure-hello.ts";
import { turnsPerSecond } from "./measure-load.ts";
import { readTreeUsage } from "./process-tree.ts";

const LOAD_TURNS_PER_SESSION = 4;
const TOOL_TURNS = 100;

/** The peer's counterparts of the figures: same provider, same message, same machine. It takes minutes: its turns are slow. */
export async function measurePeer(options: {
  readonly idleMs: number;
  readonly turns: number;
  readonly onStep: (step: string) => void;
}): Promise<{ readonly version: string; readonly figures: Measurements }> {
  await using provider = await startProvider();
  options.onStep("the peer: installing");
  await using home = await installPeer(provider.url);
  options.onStep("the peer: commands");
  const version = { value: await home.timeCommand("--version") };
  const statusDown = { value: await home.timeCommand("status") };
  options.onStep("the peer: start");
  await using side = await home.start();
  await delay(options.idleMs);
  const idleMemory = { value: readTreeUsage(side.pid).memoryMiB };
  options.onStep(`the peer: ${options.turns} turns`);
  const turns = await measurePeerTurns(side, provider, options.turns);
  options.onStep("the peer: turns with a tool call");
  const toolTurns = await measurePeerToolTurns(side, provider);
  options.onStep("the peer: 16 sessions at once");
  const rate16 = { value: await turnsPerSecond(side, { sessions: 16, turnsPerSession: LOAD_TURNS_PER_SESSION }) };
  options.onStep("the peer: 256 sessions at once");
  const rate256 = { value: await turnsPerSecond(side, { sessions: 256, turnsPerSession: 1 }) };
  options.onStep("the peer: its status");
  const statusUp = { value: await home.timeCommand("status") };
  const figures = {
    start: { value: side.readyAfterMs },
    version,
    statusUp,
    statusDown,
    idleMemory,
    ...turns,
    ...toolTurns,
    rate16,
    rate256,
  };
  return { version: home.version, figures };
}

async function measurePeerToolTurns(side: PeerSide, provider: Provider): Promise<Measurements> {
  using client = new TurnClient(side);
  await provider.take();
  const samples: number[] = [];
  for (let turn = 0; turn < TOOL_TURNS; turn += 1)
    samples.push(await client.turn(`tool-${Math.floor(turn / TURNS_PER_SESSION)}`, TOOL_MESSAGE));
  const { requests } = await provider.take();
  // Extra requests beside the turns do not matter here; turns without a model call would.
  if (requests < TOOL_TURNS * 2) throw new Error(`${TOOL_TURNS} turns with a tool call made ${requests} requests of the provider.`);
  return {
    toolTurnP50: { value: percentile(samples, 0.5) },
    toolTurnP90: { value: percentile(samples, 0.9) },
    toolTurnP99: { value: percentile(samples, 0.99) },
  };
}

async function measurePeerTurns(side: PeerSide, provider: Provider, turns: number): Promise<Measurements> {
  using client = new TurnClient(side);
  const firstTurn = { value: await client.turn("first", PLAIN_MESSAGE) };
  const hello = await measureHello(side, provider);
  const before = readTreeUsage(side.pid).cpuMs;
  const samples: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    samples.push(await client.turn(`turn-${Math.floor(turn / TURNS_PER_SESSION)}`, PLAIN_MESSAGE));
  }
  const usage = readTreeUsage(side.pid);
  return {
    firstTurn,
    ...hello,
    turnP50: { value: percentile(samples, 0.5) },
    turnP90: { value: percentile(samples, 0.9) },
    turnP99: { value: percentile(samples, 0.99) },
    turnCpu: { value: (usage.cpuMs - before) / turns },
    usedMemory: { value: usage.memoryMiB },
  };
}
