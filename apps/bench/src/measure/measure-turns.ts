import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { comparePairs, type Pair, runPair } from "../report/compare.ts";
import type { FigureId, Measurement, Measurements } from "../report/figures.ts";
import { percentile } from "../report/percentile.ts";
import type { Side } from "../sides/side.ts";
import type { Provider } from "../sides/provider.ts";
import { TurnClient } from "../sides/turn-client.ts";
import { PLAIN_MESSAGE, TOOL_MESSAGE, TURNS_PER_SESSION } from "../sides/wire.ts";
import { readRestingMemory, readTreeUsage } from "./process-tree.ts";

/** Warm-up rounds that do not count. */
const WARM_UP_ROUNDS = 2;

/** The two sides of a comparison and their clients. */
export interface Contest {
  readonly product: Side;
  readonly floor: Side;
  readonly provider: Provider;
  /** The floor is another build: it gets the same message. Without tools it runs plain turns. */
  readonly floorHasTools?: boolean;
}

interface Round {
  readonly samples: readonly number[];
  readonly cpuMs: number;
}

/** Sequential turns, of the floor and the product in alternating rounds. `home` is the product's state directory. */
export async function measureTurns(
  contest: Contest,
  plan: { readonly rounds: number; readonly perRound: number },
  home: string,
): Promise<Measurements> {
  const diskBefore = await folderBytes(home);
  const { times, cpu } = await serialTurns(contest, { ...plan, message: PLAIN_MESSAGE, requestsPerTurn: 1 });
  const usedMemory = { value: await readRestingMemory(contest.product.pid), floor: await readRestingMemory(contest.floor.pid) };
  const scale = 1000 / (plan.rounds * plan.perRound);
  return {
    turnP50: atShare("turnP50", times, 0.5),
    turnP90: atShare("turnP90", times, 0.9),
    turnP99: atShare("turnP99", times, 0.99),
    turnCpu: comparePairs("turnCpu", cpu),
    usedMemory,
    disk: { value: (((await folderBytes(home)) - diskBefore) * scale) / 1_000_000 },
  };
}

/** The same with one tool call that reads a file in each turn of the product; the floor has no tools and runs a plain turn. */
export async function measureToolTurns(
  contest: Contest,
  plan: { readonly rounds: number; readonly perRound: number },
): Promise<Measurements> {
  const { times } = await serialTurns(contest, { ...plan, message: TOOL_MESSAGE, requestsPerTurn: 2 });
  return {
    toolTurnP50: atShare("toolTurnP50", times, 0.5),
    toolTurnP90: atShare("toolTurnP90", times, 0.9),
    toolTurnP99: atShare("toolTurnP99", times, 0.99),
  };
}

interface SerialPlan {
  readonly rounds: number;
  readonly perRound: number;
  readonly message: string;
  readonly requestsPerTurn: number;
}

interface SerialRounds {
  readonly times: readonly { readonly product: readonly number[]; readonly floor: readonly number[] }[];
  readonly cpu: readonly Pair[];
}

async function serialTurns({ product, floor, provider, floorHasTools }: Contest, plan: SerialPlan): Promise<SerialRounds> {
  const { rounds, perRound, message, requestsPerTurn } = plan;
  using productClient = new TurnClient(product);
  using floorClient = new TurnClient(floor);
  const times = [];
  const cpu: Pair[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const session = (turn: number): string => `${message.length}-${Math.floor((round * perRound + turn) / TURNS_PER_SESSION)}`;
    const ofBoth = await runPair(round, {
      product: async () => {
        await provider.take();
        const played = await playRound(productClient, product, { turns: perRound, session, message });
        const { requests } = await provider.take();
        if (requests === perRound * requestsPerTurn) return played;
        throw new Error(`${perRound} turns made ${requests} requests of the provider, not ${perRound * requestsPerTurn}.`);
      },
      floor: () => playRound(floorClient, floor, { turns: perRound, session, message: floorHasTools === true ? message : PLAIN_MESSAGE }),
    });
    if (round < WARM_UP_ROUNDS) continue;
    times.push({ product: ofBoth.product.samples, floor: ofBoth.floor.samples });
    cpu.push({ product: ofBoth.product.cpuMs / perRound, floor: ofBoth.floor.cpuMs / perRound });
  }
  return { times, cpu: [{ product: meanOf(cpu, "product"), floor: meanOf(cpu, "floor") }] };
}

async function playRound(
  client: TurnClient,
  side: Side,
  { turns, session, message }: { readonly turns: number; readonly session: (turn: number) => string; readonly message: string },
): Promise<Round> {
  const before = readTreeUsage(side.pid).cpuMs;
  const samples: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) samples.push(await client.turn(session(turn), message));
  return { samples, cpuMs: readTreeUsage(side.pid).cpuMs - before };
}

/** The percentile over all turns; its ratio is the median of the rounds' own. */
function atShare(id: FigureId, rounds: SerialRounds["times"], share: number): Measurement {
  const pairs = rounds.map(({ product, floor }) => ({ product: percentile(product, share), floor: percentile(floor, share) }));
  const over = (side: "product" | "floor"): number =>
    percentile(
      rounds.flatMap((round) => round[side]),
      share,
    );
  return { ...comparePairs(id, pairs), value: over("product"), floor: over("floor") };
}

/** CPU time is counted in ticks that are longer than a turn: only the sum over all rounds is exact enough. */
function meanOf(pairs: readonly Pair[], side: keyof Pair): number {
  return pairs.reduce((sum, pair) => sum + pair[side], 0) / pairs.length;
}

/** Created by the clock, regardless of the number of turns: the reserve for a full disk, and the snapshots. */
const TIMED = [path.join("state", "reserve"), path.join("state", "snapshots")];

/** Bytes in a folder that grow with turns. */
async function folderBytes(folder: string): Promise<number> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => !TIMED.some((timed) => name.startsWith(timed)));
  const sizes = await Promise.all(names.map(async (name) => (await stat(path.join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
