import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { seededRandom } from "../scene/seeded-random.ts";
import { chooseSession } from "./choose-session.ts";
import { judgeSoak, REST_SHARE } from "./judge-soak.ts";
import type { SoakRun, SoakSample, SoakVerdict } from "./judge-soak.ts";
import { ProductProbe } from "./product-probe.ts";
import type { MemorySample, Resources } from "./product-probe.ts";
import { SoakScene } from "./soak-scene.ts";

/** Memory samples in a run; four of five are judged. Each waits until running turns have ended. */
const SAMPLES = 30;

/** Readings of one sample, after one garbage collection, and their interval. The lowest counts: concurrent compilation of V8 is not retained memory. */
const READINGS = 3;
const READINGS_APART_MS = 100;

/** Concurrent turns. */
const SIDE_BY_SIDE = 16;

/** The process is idle if it holds the same after this time; the wait is bounded. */
const REST_MS = 8_000;
const REST_LIMIT_MS = 120_000;

/** Options of a soak. */
export interface SoakOptions {
  readonly turns: number;
  readonly sessions: number;
  /** Repeats the schedule of messages. */
  readonly seed: number;
  readonly entry?: string;
  /** Makes the product retain this many bytes per turn: then the run must fail. */
  readonly leakBytes?: number;
  readonly onSample?: (sample: SoakSample) => void;
}

/** The result. */
export interface SoakReport extends SoakRun, SoakVerdict {
  readonly turnsPerSecond: number;
}

/** Runs turns over many sessions, watches what the process holds, and joins inputs with answers. Rejects if a turn is not answered. */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  await using probe = await ProductProbe.create(options);
  await using scene = await SoakScene.start({ ...options, env: probe.environment });
  const { pid } = scene.product;
  const random = seededRandom(options.seed);
  const samples: SoakSample[] = [];
  let begun = 0;
  const playUntil = async (end: number): Promise<void> => {
    const player = async (): Promise<void> => {
      while (begun < end) {
        begun += 1;
        await scene.turn(begun, chooseSession(random, begun - 1, options));
      }
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, player));
  };
  let before: Resources = {};
  let tookMs = 0;
  for (let index = 1; index <= SAMPLES; index += 1) {
    const startedAt = performance.now();
    await playUntil(Math.round((options.turns * index) / SAMPLES));
    const sample = { turns: begun, ...(await leastMemory(probe, pid)) };
    tookMs += performance.now() - startedAt;
    samples.push(sample);
    options.onSample?.(sample);
    if (index === SAMPLES * REST_SHARE) before = await rest({ scene, probe, pid });
  }
  const after = await rest({ scene, probe, pid, before });
  await scene.stop();
  const run = { turns: options.turns, samples, before, after };
  const { line, problems } = judgeSoak(run);
  return { ...run, line, problems: [...problems, ...scene.ledgerProblems()], turnsPerSecond: (options.turns * 1000) / tookMs };
}

async function leastMemory(probe: ProductProbe, pid: number): Promise<MemorySample> {
  let least = await probe.memory(pid, { isCollected: true });
  for (let reading = 1; reading < READINGS; reading += 1) {
    await delay(READINGS_APART_MS);
    const memory = await probe.memory(pid, { isCollected: false });
    if (memory.rss < least.rss) least = memory;
  }
  return least;
}

/** What the process holds once it no longer changes, or as soon as it is at most `before`. The heap is walked after the other counts have settled. */
async function rest({
  scene,
  probe,
  pid,
  before,
}: {
  readonly scene: SoakScene;
  readonly probe: ProductProbe;
  readonly pid: number;
  readonly before?: Resources;
}): Promise<Resources> {
  scene.closeIdleConnections();
  const startedAt = performance.now();
  for (let held = await probe.handles(pid); ;) {
    const isLast = performance.now() - startedAt >= REST_LIMIT_MS;
    if (before !== undefined && (isLast || holdsNoMore(held, before))) {
      const all = { ...held, ...(await probe.objects(pid)) };
      if (isLast || holdsNoMore(all, before)) return all;
    }
    await delay(REST_MS);
    const now = await probe.handles(pid);
    if (before === undefined && (isLast || isDeepStrictEqual(now, held))) return { ...now, ...(await probe.objects(pid)) };
    held = now;
  }
}

function holdsNoMore(now: Resources, before: Resources): boolean {
  return Object.entries(now).every(([kind, count]) => count <= (before[kind] ?? 0));
}
