import { readdir, readFile } from "node:fs/promises";
import { callTools, sayText } from "@factotum/testing-providers";
import type { CapturedRequest, MessageReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { callLater, newestOf, SubagentScene, taskOf } from "./subagent-scene.ts";
import type { SpawnRow } from "./subagent-scene.ts";

/** `pnpm test:slow` has 200. The long form: `FACTOTUM_SPAWN_KILLS=1000`. */
const KILLS = Number(process.env["FACTOTUM_SPAWN_KILLS"] ?? 4);
const SEED = Number(process.env["FACTOTUM_SPAWN_SEED"] ?? 20_261_129);

/** A turn that was interrupted more often is given up, and its conversation is told that instead. */
const MAX_KILLS_IN_A_ROW = 2;

/** Seconds that a command of a sub-agent would run; the number is in no other command of the machine. */
const SLEEP = `600.${process.pid}`;

/** What sub-agents do: answer at once, run a command that is ended by its limit, or hand a part of their task on. */
const KINDS = ["plain", "command", "nested"] as const;

test(
  `${KILLS} kills at random: the end of each sub-agent is told once, and nothing of it is left`,
  { timeout: 14_400_000 },
  async ({ annotate }) => {
    const random = seededRandom(SEED);
    let requests = 0;
    let killAt: { readonly requests: number; readonly kill: () => void } | undefined;
    await using scene = await SubagentScene.start((request) => {
      requests += 1;
      if (killAt !== undefined && requests >= killAt.requests) killAt.kill();
      return answer(request);
    });
    const settings = {
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5", subagents: { maxDepth: 2 } } },
      tools: { exec: { mode: "full" } },
    };
    const kills = { done: 0, unfinished: 0, inARow: 0 };
    const jobs: string[] = [];
    let toSay: string | undefined;
    while (kills.done < KILLS || kills.inARow > 0) {
      const product = await scene.run({ settings });
      const isLast = kills.done >= KILLS;
      if (toSay !== undefined) await scene.say(product, toSay);
      if (isLast || kills.inARow === MAX_KILLS_IN_A_ROW || random() < 0.5) {
        await untilQuiet(scene, jobs);
        kills.inARow = 0;
      }
      if (isLast) {
        await product.end("SIGTERM");
        break;
      }
      if (kills.inARow === 0) {
        toSay = `job-${jobs.length}-${random() < 0.5 ? "yields" : "answers"}-${1 + Math.floor(random() * 3)}${KINDS[Math.floor(random() * 3)] ?? ""}`;
        jobs.push(toSay);
      }
      const { promise: isKilled, resolve } = Promise.withResolvers<void>();
      const delayMs = random() * 60;
      // The moment of the kill is the subject of the test, so it is one of the real clock.
      const kill = (): void => void setTimeout(() => void product.end("SIGKILL").then(() => resolve()), delayMs);
      killAt = { requests: requests + 1 + Math.floor(random() * 8), kill: once(kill) };
      if (kills.inARow === 0 && toSay !== undefined) await scene.say(product, toSay);
      void untilQuiet(scene, jobs).then(once(kill), () => undefined);
      await isKilled;
      killAt = undefined;
      kills.done += 1;
      kills.inARow += 1;
      if (!isQuiet(scene, jobs)) kills.unfinished += 1;
    }
    const rows = scene.rows();
    await annotate(
      `${kills.done} kills, ${kills.unfinished} with unfinished work; ${jobs.length} jobs, ${rows.length} sub-agents, seed ${SEED}`,
    );
    expect(problemsOf(rows, scene)).toEqual([]);
    expect(scene.unfinished()).toEqual([]);
    expect(scene.model.violations).toEqual([]);
    await expect.poll(leftCommands, { timeout: 10_000 }).toEqual([]);
    // A few kills may all come late.
    expect(kills.unfinished).toBeGreaterThanOrEqual(KILLS < 50 ? 1 : KILLS / 2);
  },
);

/** Joins the rows of sub-agents with the inputs that report them, and with what the chat was told. */
function problemsOf(rows: readonly SpawnRow[], scene: SubagentScene): readonly string[] {
  const reports = Map.groupBy(scene.reports(), ({ id }) => id);
  const told = scene.texts.flatMap((text) => /told ([\w.; -]+)/.exec(text)?.[1]?.split("; ") ?? []);
  const tasks = Map.groupBy(rows, ({ task }) => task);
  return [
    ...[...tasks].filter(([, all]) => all.length > 1).map(([task, all]) => `${task} was started ${all.length} times`),
    ...rows.flatMap(({ id, task, state, isTold }) => {
      const own = reports.get(id) ?? [];
      const isInner = task.endsWith(".inner");
      const count = told.filter((one) => one === task).length;
      return [
        ...(state === "done" && isTold ? [] : [`${task} is ${state}, told: ${String(isTold)}`]),
        ...(own.length === 1 ? [] : [`${task} was reported by ${own.length} inputs`]),
        ...(own.every((report) => report.state === "answered" || report.state === "silent")
          ? []
          : [`${task}: its report is ${own[0]?.state}`]),
        ...(isInner || count === 1 ? [] : [`${task} was told ${count} times`]),
      ];
    }),
  ];
}

/** True when every job has its sub-agents, and all of them are told. */
function isQuiet(scene: SubagentScene, jobs: readonly string[]): boolean {
  const rows = scene.rows();
  const texts = scene.texts.join("\n");
  return (
    rows.every(({ state, isTold }) => isTold && state !== "queued" && state !== "running") &&
    jobs.every((job) => rows.some(({ task }) => task.startsWith(`${job}.`))) &&
    rows.every(({ task }) => task.endsWith(".inner") || texts.includes(task)) &&
    scene.unfinished().length === 0
  );
}

async function untilQuiet(scene: SubagentScene, jobs: readonly string[]): Promise<void> {
  await expect.poll(() => isQuiet(scene, jobs), { timeout: 120_000, interval: 20 }).toBe(true);
}

/** The model's answer depends on the request alone, so that a request after a crash gets the same one. */
function answer(request: CapturedRequest): MessageReply {
  const task = taskOf(request);
  const newest = newestOf(request);
  if (task !== undefined) return answerOfChild(task, newest);
  if (newest.includes("has ended")) return sayText(`told ${[...newest.matchAll(/\| (job-[\w.-]+)/g)].map(([, one]) => one).join("; ")}`);
  const job = /job-\d+-(yields|answers)-(\d)(\w+)/g;
  const [name = "", then, count = "1", kind = ""] = [...JSON.stringify(request.body?.["messages"]).matchAll(job)].at(-1) ?? [];
  if (newest.includes(String.raw`\"status\":\"accepted\"`))
    return then === "yields" ? callLater({ name: "sessions_yield", arguments: {} }) : sayText("asked");
  return callLater(
    ...Array.from({ length: Number(count) }, (_, index) => ({ name: "sessions_spawn", arguments: { task: `${name}.${index}.${kind}` } })),
  );
}

function answerOfChild(task: string, newest: string): MessageReply {
  if (task.endsWith(".command") && !newest.includes("tool_result"))
    return callTools({ name: "exec", arguments: { command: `sleep ${SLEEP}`, timeoutSeconds: 1 } });
  if (task.endsWith(".nested")) {
    if (newest.includes(String.raw`\"status\":\"accepted\"`)) return callLater({ name: "sessions_yield", arguments: {} });
    if (!newest.includes("has ended")) return callLater({ name: "sessions_spawn", arguments: { task: `${task}.inner` } });
  }
  return sayText(`found ${task}`);
}

/** The commands of sub-agents that still run. */
async function leftCommands(): Promise<readonly string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(ids.map(async (id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")));
  return commands.filter((command) => command.includes(SLEEP));
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}

/** Mulberry32: numbers from 0 to 1. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
