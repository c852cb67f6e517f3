import { checkLedger, describeLedger } from "@factotum/testing-chaos";
import type { LedgerReport } from "@factotum/testing-chaos";
import { ProductEndedError } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { Scene } from "../scene/scene.ts";
import { seededRandom } from "../scene/seeded-random.ts";
import type { Showing } from "../scene/showing.ts";
import { dealKills } from "./deal-kills.ts";
import type { World } from "./deal-kills.ts";
import { CRASH_POINTS, MIN_HITS, planKills } from "./plan-kills.ts";
import type { KillPlan } from "./plan-kills.ts";

/** How long the wire may be silent while work is left: then the product hangs. Not a measurement. */
const STALL_MS = 120_000;

/** The share of kills that must hit a process with an unfinished turn. */
const MIN_UNFINISHED_SHARE = 0.8;

/** Options of a run. */
export interface KillsOptions {
  /** SIGKILLs; four of five at named points. */
  readonly kills: number;
  /** Repeats the plan: points, hits, delays and senders. Timing still depends on the machine. */
  readonly seed: number;
  /** Parallel environments, each with a product, a platform, a model and people. */
  readonly worlds: number;
  /** People of each environment, each with a session. */
  readonly conversations: number;
  /** Messages sent in each life of a process. */
  readonly load: number;
  /** How the environments show answers, in rotation; every mode by default. */
  readonly showings?: readonly Showing[];
  readonly entry?: string;
  /** Called for each kill. */
  readonly onKill?: (kill: KillRecord, index: number) => void;
}

/** One kill that happened. */
interface KillRecord {
  readonly world: number;
  /** `mid-tool:3`, or `random`; prefixed with `missed` if the point was not reached. */
  readonly name: string;
  /** Turns that had started and had not answered anyone. */
  readonly unfinished: number;
  /** The process was alive and silent although work was left: the remaining work, and its output. */
  readonly stall?: string;
}

/** The result of a run, summed over its environments. */
export interface KillsReport {
  readonly kills: readonly KillRecord[];
  readonly counts: LedgerReport["counts"];
  readonly answered: number;
  /** Answers that only said that the work failed: a turn that crashed three times is given up, and people are notified. */
  readonly toldOnly: number;
  /** All problems, for people; empty on success. */
  readonly problems: readonly string[];
}

/** Kills products as planned, lets them recover, and joins both sides. */
export async function runKills(options: KillsOptions): Promise<KillsReport> {
  const kills: KillRecord[] = [];
  const plans = planKills(seededRandom(options.seed), options);
  const reportKill = (kill: KillRecord): void => {
    kills.push(kill);
    options.onKill?.(kill, kills.length);
  };
  const waiting = dealKills(plans, options);
  const worlds: WorldReport[] = [];
  const place = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) worlds.push(await runWorld(next, options, reportKill));
  };
  await Promise.all(Array.from({ length: options.worlds }, place));
  const counts = { lost: 0, doubled: 0, "wrong-chat": 0, unasked: 0, ambiguous: 0 };
  for (const { report } of worlds) for (const type of Object.keys(counts) as (keyof typeof counts)[]) counts[type] += report.counts[type];
  return {
    kills,
    counts,
    answered: worlds.reduce((sum, { report }) => sum + report.answered, 0),
    toldOnly: worlds.reduce((sum, { toldOnly }) => sum + toldOnly, 0),
    problems: [...worlds.flatMap(({ problems }) => problems), ...checkCoverage(kills)],
  };
}

interface WorldReport {
  readonly report: LedgerReport;
  readonly toldOnly: number;
  readonly problems: readonly string[];
}

async function runWorld(
  { world, showing, plans }: World,
  options: KillsOptions,
  reportKill: (kill: KillRecord) => void,
): Promise<WorldReport> {
  await using scene = await Scene.start({ ...options, showing });
  const lives: string[] = [];
  const problems: string[] = [];
  for (const plan of plans) {
    const kill = { world, ...(await liveAndDie(scene, plan)) };
    lives.push(`${kill.name} (${kill.unfinished} unfinished)`);
    reportKill(kill);
    if (kill.stall !== undefined) problems.push(`life ${lives.length}, ${kill.name}: ${kill.stall}`);
    problems.push(...scene.checkDatabase().map((problem) => `after kill ${lives.length}, ${kill.name}: ${problem}`));
  }
  problems.push(...(await recover(scene, options.conversations)));
  const ledger = scene.ledger();
  const report = checkLedger(ledger);
  const doubled = await scene.doubledEffects();
  if (!report.isClean)
    problems.push(`${describeLedger(ledger, report)}\ngiven up by the product: ${scene.givenUp().join(", ") || "nothing"}`);
  problems.push(...scene.leftovers);
  if (doubled.length > 0) problems.push(`tools that ran twice, for ${doubled.join(", ")}`);
  problems.push(...scene.model.violations.map((violation) => `the model's server refused a request: ${JSON.stringify(violation)}`));
  const named = problems.map((problem) => `world ${world} (${showing}): ${problem}`);
  if (named.length > 0) named.push(`world ${world}, its kills in order: ${lives.join(", ")}`);
  return { report, toldOnly: scene.toldOnly, problems: named };
}

/** One life: it resumes the work of the previous one, gets new messages, and is killed. */
async function liveAndDie(scene: Scene, { kill, conversations }: KillPlan): Promise<Omit<KillRecord, "world">> {
  const name = kill.type === "point" ? `${kill.point}:${kill.hit}` : "random";
  let product: Product;
  try {
    product = await scene.boot(kill.type === "point" ? name : undefined);
  } catch (error) {
    // It reached the point while it resumed, before it was ready.
    if (error instanceof ProductEndedError && error.signal === "SIGKILL") return { name, unfinished: scene.unfinished };
    throw error;
  }
  const eventsBefore = scene.wire.count;
  const pushes = [scene.pushAgain(product), ...conversations.map(async (index) => scene.push(scene.say(index), product))];
  let isDead = false;
  void product.ended.then(() => (isDead = true));
  let isSaid = false;
  void Promise.all(pushes).then(() => {
    isSaid = true;
    // The last answer may precede the last acknowledgement: no other event would wake a waiter for both.
    scene.wire.note();
  });
  const isFarEnough = (): boolean => kill.type === "random" && scene.wire.count - eventsBefore >= kill.afterEvents;
  const goesOn = await scene.wire.until(() => isDead || isFarEnough() || (isSaid && scene.isQuiet), { stallMs: STALL_MS });
  if (kill.type === "random") await new Promise((resolve) => setTimeout(resolve, kill.delayMs));
  const end = isDead ? await product.ended : undefined;
  if (end !== undefined && (kill.type === "random" || end.signal !== "SIGKILL")) {
    throw new Error(`The product ended by itself (${end.code ?? end.signal}), and not at a crash point. It printed:\n${product.output()}`);
  }
  const record = {
    name: kill.type === "point" && !isDead ? `missed ${name}` : name,
    unfinished: scene.unfinished,
    ...(goesOn
      ? {}
      : { stall: `${scene.describeOpen()}; nothing happened for ${STALL_MS / 1000} s. The product printed:\n${product.output()}` }),
  };
  await product.end("SIGKILL");
  await Promise.all(pushes);
  return record;
}

/**
 * The last life: unacknowledged messages are pushed again, and everyone sends one more. Conversations are answered in order, so once that is answered, the
 * outcome of earlier messages is final.
 */
async function recover(scene: Scene, conversations: number): Promise<string[]> {
  const product = await scene.boot();
  await scene.pushAgain(product);
  const last = Array.from({ length: conversations }, (_, index) => scene.say(index));
  await Promise.all(last.map(async (said) => scene.push(said, product)));
  const isDone = await scene.wire.until(() => scene.isAnswered(...last), { stallMs: STALL_MS });
  const { code } = await product.end("SIGTERM");
  return [
    ...(isDone
      ? []
      : [`nothing happened for ${STALL_MS / 1000} s, and not everything was answered; the product said:\n${product.output()}`]),
    ...(code === 0 ? [] : [`the product did not stop cleanly (${code}); it said:\n${product.output()}`]),
  ];
}

/** Whether the run was hard enough to prove anything. */
function checkCoverage(kills: readonly KillRecord[]): string[] {
  const rare = CRASH_POINTS.map((point) => ({ point, hits: kills.filter(({ name }) => name.startsWith(`${point}:`)).length }))
    .filter(({ hits }) => hits < MIN_HITS)
    .map(({ point, hits }) => `${point} was hit ${hits} times, ${MIN_HITS} are needed`);
  const unfinished = kills.filter((kill) => kill.unfinished > 0).length;
  if (unfinished >= kills.length * MIN_UNFINISHED_SHARE) return rare;
  return [...rare, `${unfinished} of ${kills.length} kills hit a process with an unfinished turn, four of five must`];
}
