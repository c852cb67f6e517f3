import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { JobSpec } from "@factotum/agent-contract";
import type { JobRecord, OccurrenceRecord } from "@factotum/store";
import { FakeFeishu } from "@factotum/testing-channels";
import { ProductEndedError, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { sayText, startStrictServer } from "@factotum/testing-providers";
import type { StrictServer } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";
import { feishuConfig } from "./feishu-scene.ts";
import { openStoppedStore } from "./open-stopped-store.ts";

const USER = "ou_olga";
const CHAT = "oc_dm";
/** `pnpm test:slow`: all points of a turn, and restarts for a minute. */
const IS_SLOW = process.env["FACTOTUM_SLOW"] !== undefined;
/** The long form takes ten minutes: `FACTOTUM_RESTARTS_MS=600000`. */
const RESTARTS_MS = Number(process.env["FACTOTUM_RESTARTS_MS"] ?? (IS_SLOW ? 60_000 : 6_000));

/** A chat, a model that answers with the name of the job that asks, and the state directory of a product that is stopped and started. */
class Scene implements AsyncDisposable {
  readonly feishu: FakeFeishu;
  readonly model: StrictServer;
  readonly home: string;

  private constructor(feishu: FakeFeishu, model: StrictServer, home: string) {
    this.feishu = feishu;
    this.model = model;
    this.home = home;
  }

  static async start(): Promise<Scene> {
    const feishu = await FakeFeishu.start({ people: [USER], chats: [CHAT] });
    const model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
    model.respond(({ body }) =>
      sayText(`said by ${/The scheduled job \\"(\w+)\\"/.exec(JSON.stringify(body?.["messages"]))?.[1] ?? "none"}`),
    );
    return new Scene(feishu, model, await mkdtemp(path.join(tmpdir(), "factotum-jobs-")));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.model.close();
    await this.feishu[Symbol.asyncDispose]();
    await rm(this.home, { recursive: true, force: true });
  }

  /** Starts the product; `undefined` if it has ended before it was ready. */
  async run(env: Readonly<Record<string, string>> = {}): Promise<Product | undefined> {
    const config = {
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: { providers: { anthropic: { baseUrl: this.model.baseUrl, apiKey: "sk-test" } } },
      ...feishuConfig(this.feishu, USER),
    };
    try {
      return await startProduct({ config, home: this.home, env });
    } catch (error) {
      if (error instanceof ProductEndedError) return undefined;
      throw error;
    }
  }

  /** Puts jobs into the state of a stopped product. */
  async put(jobs: readonly JobRecord[], claimed: readonly OccurrenceRecord[] = []): Promise<void> {
    const store = await openStoppedStore(this.home);
    for (const job of jobs) {
      await store.putJob(job);
      const own = claimed.filter(({ jobId }) => jobId === job.id);
      if (own.length > 0) await store.claimOccurrences(job, own);
    }
    await store.close();
  }

  /** The rows of all slots, read while the product may be running. */
  rows(): readonly { readonly jobId: string; readonly slotMs: number; readonly state: string; readonly receipt?: string }[] {
    using database = new DatabaseSync(path.join(this.home, "state", "factotum.sqlite"), { readOnly: true });
    return database
      .prepare("SELECT job_id, slot, state, payload FROM occurrences ORDER BY slot, job_id")
      .all()
      .map(({ job_id: jobId, slot, state, payload }) => ({
        ...(JSON.parse(String(payload)) as object),
        jobId: String(jobId),
        slotMs: Number(slot),
        state: String(state),
      }));
  }

  /** What has arrived in the chat. */
  get texts(): readonly string[] {
    return this.feishu.sent.map(({ content }) => JSON.stringify(content));
  }

  /** How often a text is in the chat. */
  count(text: string): number {
    return this.texts.filter((sent) => sent.includes(`${text}"`)).length;
  }
}

function job(id: string, schedule: JobSpec["schedule"], changes: Partial<JobSpec> = {}, nextSlotMs = Date.now()): JobRecord {
  return {
    id,
    agentId: "main",
    spec: { name: id, schedule, payload: { type: "agentTurn", message: "Say it." }, deleteAfterRun: false, ...changes },
    authority: {
      owner: true,
      sender: { id: USER, isBot: false },
      origin: { channel: "feishu", accountId: "default", conversation: { kind: "direct", id: CHAT } },
      sessionKey: "agent:main:main",
    },
    createdAtMs: nextSlotMs - 1000,
    scheduledAtMs: nextSlotMs - 1000,
    nextSlotMs,
    failures: 0,
  };
}

const once = (id: string, changes: Partial<JobSpec> = {}): JobRecord => {
  const nowMs = Date.now();
  return job(id, { type: "at", at: new Date(nowMs).toISOString() }, changes, nowMs);
};

/** A job of every second. */
const ticker = (startMs: number): JobRecord =>
  job(
    "ticking",
    { type: "every", every: "1s", anchor: new Date(startMs).toISOString() },
    { payload: { type: "message", text: "tick" } },
    startMs,
  );

/** Of a turn like any other; in the short form the kills of messages cover them. */
const TURN_POINTS = ["before-inbound-commit", "after-claim", "mid-stream", "before-send"];
const JOB_POINTS = [
  "after-job-claim",
  "after-job-begin",
  "after-inbound-commit",
  "after-final-commit",
  "after-send",
  "before-job-end",
  "after-job-end",
];
/** Points of a turn come last: a turn that the next kills interrupt again is given up after the fourth. */
const POINTS = IS_SLOW ? [...JOB_POINTS, ...TURN_POINTS] : JOB_POINTS;

test("a job that is killed at each step of its run, one after the other, is run and announced once", async () => {
  await using scene = await Scene.start();
  const ids = POINTS.map((point) => point.replaceAll("-", ""));
  for (const [index, point] of POINTS.entries()) {
    await scene.put([once(ids[index] ?? "")]);
    const product = await scene.run({ FACTOTUM_CRASH_AT: `${point}:1` });
    if (product !== undefined) expect(await product.ended).toMatchObject({ signal: "SIGKILL" });
  }
  // A text without a model, and slots that were claimed or running when a process ended.
  const nowMs = Date.now();
  const [claimed, running] = [once("claimed"), once("running")];
  await scene.put(
    [claimed, running, once("text", { payload: { type: "message", text: "said by text" } })],
    [
      { jobId: "claimed", slotMs: claimed.nextSlotMs ?? nowMs, state: "claimed", attempt: 1 },
      {
        jobId: "running",
        slotMs: running.nextSlotMs ?? nowMs,
        state: "running",
        attempt: 1,
        origin: running.authority.origin,
        sessionKey: `cron:running:${running.nextSlotMs}`,
      },
    ],
  );
  await using _product = (await scene.run()) ?? (await Promise.reject(new Error("it did not start")));
  const all = [...ids, "claimed", "running", "text"];
  await expect
    .poll(() =>
      scene
        .rows()
        .filter(({ receipt }) => receipt !== undefined)
        .map(({ jobId }) => jobId)
        .toSorted(),
    )
    .toEqual(all.toSorted());
  await expect
    .poll(() =>
      scene
        .rows()
        .map(({ jobId, state }) => `${jobId} ${state}`)
        .toSorted(),
    )
    .toEqual(all.map((id) => `${id} done`).toSorted());
  expect(all.map((id) => `${id} ${scene.count(`said by ${id}`)}`)).toEqual(all.map((id) => `${id} 1`));
});

test(
  "1,000 jobs due in the same second, and a kill after every two messages, leave one row for each slot",
  { timeout: RESTARTS_MS + 300_000 },
  async () => {
    await using scene = await Scene.start();
    const nowMs = Date.now();
    const silent: Partial<JobSpec> = { payload: { type: "message", text: "x" }, delivery: { type: "none" } };
    const startMs = Math.ceil(nowMs / 1000) * 1000;
    const many = Array.from({ length: 1000 }, (_, index) =>
      job(`many${index}`, { type: "at", at: new Date(startMs).toISOString() }, silent, startMs),
    );
    await scene.put([...many, ticker(startMs)]);
    const untilMs = Date.now() + RESTARTS_MS;
    while (Date.now() < untilMs) {
      const product = await scene.run();
      if (product === undefined) throw new Error("it did not start");
      const before = scene.count("tick");
      await expect.poll(() => scene.count("tick")).toBeGreaterThan(before + 1);
      await product.end("SIGKILL");
    }
    const last = await scene.run();
    if (last === undefined) throw new Error("it did not start");
    await using _last = last;
    const manyRows = (): readonly string[] => scene.rows().flatMap(({ jobId, state }) => (jobId.startsWith("many") ? state : []));
    await expect.poll(() => manyRows().filter((state) => state === "done").length).toBe(1000);
    expect(manyRows()).toHaveLength(1000);
    await last.end("SIGTERM");
    const ticks = scene.rows().filter(({ jobId }) => jobId === "ticking");
    const slots = ticks.map(({ slotMs }) => (slotMs - startMs) / 1000);
    expect(slots).toEqual(slots.map((_, index) => index));
    const ran = ticks.filter(({ state }) => state === "done").length;
    expect(scene.count("tick")).toBeLessThanOrEqual(ran + 1);
    expect(scene.count("tick")).toBeGreaterThan(0);
  },
);

test("a suspended gateway keeps its state from a second one, and runs nothing once another process has taken it over", async () => {
  await using scene = await Scene.start();
  const startMs = Math.ceil(Date.now() / 1000) * 1000;
  await scene.put([ticker(startMs)]);
  const first = await scene.run();
  if (first === undefined) throw new Error("it did not start");
  await expect.poll(() => scene.count("tick")).toBeGreaterThan(1);
  process.kill(first.pid, "SIGSTOP");
  let taken = 0;
  try {
    // It names the address of the first one, and ends.
    const refused = await scene.run();
    expect((await refused?.ended)?.code).not.toBe(0);
    const store = await openStoppedStore(scene.home);
    const present = await store.readJob("ticking");
    const slotMs = present?.nextSlotMs ?? 0;
    if (present === undefined) throw new Error("the job is gone");
    const added = await store.claimOccurrences({ ...present, nextSlotMs: slotMs + 1000 }, [
      { jobId: "ticking", slotMs, state: "done", attempt: 1 },
    ]);
    taken = added.length;
    await store.close();
  } finally {
    process.kill(first.pid, "SIGCONT");
  }
  expect(taken).toBe(1);
  // It no longer owns the state, and ends by itself.
  await first.ended;
  const second = await scene.run();
  if (second === undefined) throw new Error("the second did not start");
  await using _second = second;
  const before = scene.count("tick");
  await expect.poll(() => scene.count("tick")).toBeGreaterThan(before + 1);
  await second.end("SIGTERM");
  const rows = scene.rows();
  const slots = rows.map(({ slotMs }) => (slotMs - startMs) / 1000);
  expect(slots).toEqual(slots.map((_, index) => index));
  expect(scene.count("tick")).toBeLessThanOrEqual(rows.filter(({ state }) => state !== "missed").length - taken);
});
