import { utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import type { JobSpec } from "@factotum/agent-contract";
import type { SendReceipt } from "@factotum/channel-contract";
import { httpFetch } from "@factotum/models";
import type { JobRecord, OccurrenceRecord } from "@factotum/store";
import { textReply } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { endsAsKilled, TestPlatform } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { addJob, hasOutcome, JobScene, shownOutcome } from "../../test/job-scene.ts";
import { createHeldCommands } from "../../test/held-commands.ts";
import type { HeldCommands } from "../../test/held-commands.ts";

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 2, 2, 8, 58, 30);
const TO_NINE_MS = 90_000;
/** A timer may have been set a moment after its time was stored. */
const SPARE_MS = 100;
const HOURLY = { type: "every", every: "1h", anchor: "2026-03-02T09:00:00Z" } as const;
const EVERY_TEN = { type: "every", every: "10m", anchor: "2026-03-02T09:00:00Z" } as const;
const PING: JobSpec = { name: "ping", schedule: HOURLY, payload: { type: "message", text: "ping" } };
const BUILD: JobSpec = { name: "build", schedule: EVERY_TEN, payload: { type: "command", argv: ["/bin/build"] } };
const ASK: JobSpec = {
  name: "ask",
  schedule: { type: "at", at: "2026-03-02T09:00:00Z" },
  payload: { type: "agentTurn", message: "Well?" },
};
const BUSY = { type: "error", errorType: "overloaded_error", message: "busy" } as const;

let scene: JobScene;
let commands: HeldCommands;
/** What others than the provider answer with. */
let status: number;
let fetched: string[];
beforeEach(async () => {
  scene = await JobScene.create(START_MS);
  commands = createHeldCommands();
  status = 200;
  fetched = [];
});
afterEach(() => scene[Symbol.asyncDispose]());

const fetchAll: typeof fetch = async (input, init) => {
  const url = input instanceof Request ? input.url : String(input);
  if (!url.startsWith("https://hooks.example/")) return httpFetch(input, init);
  fetched.push(url);
  return new Response("sunny", { status });
};

const start = async (options: Parameters<JobScene["start"]>[0] = {}): Promise<TestGateway> =>
  scene.start({ hostCommands: commands, fetch: fetchAll, ...options });

/** The rows of a job, oldest first. */
async function rows({ store }: TestGateway, id: string): Promise<readonly OccurrenceRecord[]> {
  return (await store.listOccurrences(id, { limit: 500 })).toReversed();
}

/** The outcomes of a job, oldest first, once there are as many. */
async function outcomes(running: TestGateway, id: string, count: number): Promise<readonly string[]> {
  const read = async (): Promise<readonly string[]> => (await rows(running, id)).filter(hasOutcome).map(shownOutcome);
  await expect.poll(read, { interval: 5 }).toHaveLength(count);
  return read();
}

const job = async ({ store }: TestGateway, id: string): Promise<JobRecord | undefined> => store.readJob(id);
const started = async (count: number): Promise<void> => expect.poll(() => commands.commands.length, { interval: 5 }).toBe(count);

describe("an occurrence", () => {
  test("of a program is done with its output, or failed with its exit code or limit", async () => {
    await using running = await start();
    const id = await addJob(running, BUILD);
    scene.clock.pass(TO_NINE_MS);
    await started(1);
    commands.commands[0]?.end("built");
    await outcomes(running, id, 1);
    scene.clock.pass(10 * MINUTE_MS);
    await started(2);
    commands.commands[1]?.end("no space", { type: "exited", exitCode: 3 });
    await outcomes(running, id, 2);
    scene.clock.pass(10 * MINUTE_MS);
    await started(3);
    commands.commands[2]?.end("", { type: "timed-out" });
    expect(await outcomes(running, id, 3)).toEqual(["done", 'failed exit code 3: "no space"', "failed stopped at its time limit"]);
    expect(scene.texts).toEqual(["built"]);
    expect((await rows(running, id))[0]?.startedAtMs).toBeGreaterThanOrEqual(START_MS + TO_NINE_MS);
  });

  test("of a webhook is done once it is taken, and failed with its status", async () => {
    await using running = await start();
    const id = await addJob(running, { ...PING, delivery: { type: "webhook", url: "https://hooks.example/a" } });
    scene.clock.pass(TO_NINE_MS);
    await outcomes(running, id, 1);
    status = 500;
    scene.clock.pass(60 * MINUTE_MS);
    expect(await outcomes(running, id, 2)).toEqual(["done", "failed the webhook answered with status 500"]);
  });

  test("is delivered once its message has a receipt, and ambiguous or undelivered if it has none", async () => {
    // Its sends have no keys, so that one without an answer is not repeated.
    scene.platform = new TestPlatform("platform", { ...({ idempotentSend: undefined } as object) });
    await using running = await start();
    const receipts: SendReceipt[] = [
      { type: "accepted", messageIds: [] },
      { type: "ambiguous", cause: "it hung up" },
      { type: "rejected", code: "forbidden", retry: { type: "never" }, message: "no" },
    ];
    const wanted = ["delivered", "ambiguous", "undelivered"];
    scene.platform.answer = (outbound) => (outbound.type === "text" && outbound.text === "ping" ? receipts[0] : undefined);
    scene.server.respond(() => textReply("ping"));
    const ids = [
      await addJob(running, PING),
      await addJob(running, { ...PING, name: "turn", payload: { type: "agentTurn", message: "Well?" } }),
    ];
    const main: JobSpec = { ...PING, name: "main", payload: { type: "agentTurn", message: "Well?" }, session: "main" };
    ids.push(await addJob(running, main));
    const receiptsOf = async (id: string): Promise<readonly unknown[]> => (await rows(running, id)).map(({ receipt }) => receipt);
    scene.clock.pass(TO_NINE_MS);
    for (const round of wanted.keys()) {
      const expected = wanted.slice(0, round + 1);
      for (const id of ids) await expect.poll(async () => receiptsOf(id), { interval: 5 }).toEqual(expected);
      receipts.shift();
      if (round < 2) scene.clock.pass(60 * MINUTE_MS);
    }
  });

  test("fails once its maker is no longer the owner", async () => {
    await using running = await start();
    const id = await addJob(running, PING, { isListedOwner: true, sender: { id: "owner-2", isBot: false } });
    scene.clock.pass(TO_NINE_MS);
    expect(await outcomes(running, id, 1)).toEqual(["failed the person who made it is no longer the owner"]);
    expect(scene.platform.sent).toEqual([]);
  });

  test("is skipped at no cost when its check says so", async () => {
    const watched = path.join(scene.workspace, "list.txt");
    await writeFile(watched, "one");
    await using running = await start();
    const program = await addJob(running, { ...PING, name: "program", check: { type: "argv", argv: ["/bin/check"] } });
    const page = await addJob(running, { ...PING, name: "page", check: { type: "url", url: "https://hooks.example/page" } });
    const file = await addJob(running, { ...PING, name: "file", check: { type: "fileChanged", path: "list.txt" } });
    const missing = await addJob(running, { ...PING, name: "missing", check: { type: "fileChanged", path: "missing.txt" } });
    status = 404;
    scene.clock.pass(TO_NINE_MS);
    await started(1);
    commands.commands[0]?.end("", { type: "exited", exitCode: 1 });
    for (const id of [program, page, file, missing]) await outcomes(running, id, 1);
    status = 200;
    scene.clock.pass(60 * MINUTE_MS);
    await started(2);
    commands.commands[1]?.end("");
    for (const id of [program, page, file, missing]) await outcomes(running, id, 2);
    await utimes(watched, 1, 1);
    scene.clock.pass(60 * MINUTE_MS);
    await started(3);
    commands.commands[2]?.end("", { type: "not-started", message: "there is no /bin/check" });
    expect(await outcomes(running, program, 3)).toEqual(["skipped gate: exit code 1", "done", "failed gate: there is no /bin/check"]);
    expect(await outcomes(running, page, 3)).toEqual(["skipped gate: status 404", "done", "done"]);
    expect(await outcomes(running, file, 3)).toEqual(["done", "skipped gate: the file has not changed", "done"]);
    // The owner's own run makes the check, too.
    const { jobs } = running.gateway.engine.schedule;
    await jobs.run(jobs.find(missing) ?? expect.fail("the job is gone"));
    expect(new Set(await outcomes(running, missing, 4))).toEqual(new Set(["skipped gate: there is no such file"]));
    expect([scene.server.requests.length, scene.texts.length]).toEqual([0, 5]);
  });

  test("is skipped at a cap, and the job does not count it as a failure", async () => {
    await using running = await start({
      patch: (config) => ({ ...config, spend: { ...config.spend, perCause: { cron: { tokensPerDay: 0 } } } }),
    });
    const id = await addJob(running, { ...ASK, schedule: HOURLY });
    scene.clock.pass(TO_NINE_MS);
    expect((await outcomes(running, id, 1))[0]).toMatch(/^skipped cap: spend.perCause.cron is used up for today/);
    expect((await job(running, id))?.failures).toBe(0);
    expect(scene.server.requests).toEqual([]);
  });
});

test("a job that has run once is kept until what it has sent has a receipt, also through a restart, and does not run again", async () => {
  let isReachable = false;
  scene.platform.answer = () =>
    isReachable ? undefined : { type: "rejected", code: "unreachable", retry: { type: "after", delayMs: 3 * MINUTE_MS }, message: "down" };
  const first = await start();
  const id = await addJob(first, { ...PING, deleteAfterRun: true });
  scene.clock.pass(TO_NINE_MS);
  expect(await outcomes(first, id, 1)).toEqual(["done"]);
  const kept = await job(first, id);
  expect([kept?.overSlotMs, kept?.nextSlotMs]).toEqual([START_MS + TO_NINE_MS, undefined]);
  await first.stop();
  isReachable = true;
  await using running = await start({ home: first.home });
  scene.clock.pass(4 * MINUTE_MS);
  await expect.poll(async () => job(running, id), { interval: 5 }).toBeUndefined();
  expect(scene.texts).toEqual(["ping"]);
});

describe("a run while the one before goes on", () => {
  async function overlap(mode: NonNullable<JobSpec["overlap"]>): Promise<{ running: TestGateway; id: string }> {
    const running = await start();
    const id = await addJob(running, { ...BUILD, overlap: mode });
    scene.clock.pass(TO_NINE_MS);
    await started(1);
    scene.clock.pass(10 * MINUTE_MS);
    await expect.poll(async () => (await rows(running, id)).length, { interval: 5 }).toBe(2);
    return { running, id };
  }

  test("is skipped", async () => {
    const { running, id } = await overlap("skip");
    await using _running = running;
    expect(await outcomes(running, id, 1)).toEqual(["skipped overlap: the previous run is still active"]);
    commands.commands[0]?.end("built");
    expect(await outcomes(running, id, 2)).toEqual(["done", "skipped overlap: the previous run is still active"]);
  });

  test("is queued", async () => {
    const { running, id } = await overlap("queue");
    await using _running = running;
    expect((await rows(running, id)).map(({ state }) => state)).toEqual(["running", "claimed"]);
    commands.commands[0]?.end("built");
    await started(2);
    commands.commands[1]?.end("built again");
    expect(await outcomes(running, id, 2)).toEqual(["done", "done"]);
  });

  test("replaces it", async () => {
    const { running, id } = await overlap("replace");
    await using _running = running;
    await started(2);
    commands.commands[1]?.end("built");
    expect(await outcomes(running, id, 2)).toEqual(["failed stopped: its next run has begun", "done"]);
  });

  test("is not begun once the job is disabled", async () => {
    const { running, id } = await overlap("queue");
    await using _running = running;
    const { jobs } = running.gateway.engine.schedule;
    const found = jobs.find(id);
    if (found === undefined) throw new Error("the job is gone");
    await jobs.update(found, { enabled: false }, { owner: true });
    commands.commands[0]?.end("built");
    expect(await outcomes(running, id, 2)).toEqual(["done", "skipped disabled"]);
  });
});

describe("a job whose model is overloaded", () => {
  /** Each attempt's row while it waits for the next one. The pauses of the model's own retries pass at once. */
  async function waiting(running: TestGateway, id: string, attempt: number): Promise<OccurrenceRecord> {
    let row: OccurrenceRecord | undefined;
    const read = async (): Promise<number> => {
      row = (await rows(running, id))[0];
      if (row?.attempt !== attempt || row.notBeforeMs === undefined) scene.clock.pass(4000);
      return row?.notBeforeMs === undefined ? 0 : row.attempt;
    };
    await expect.poll(read, { interval: 5 }).toBe(attempt);
    if (row === undefined) throw new Error("it has no row");
    return row;
  }

  test("tries again after 30 s, 1, 5, 15 and 60 minutes, and is done when the model is back", async () => {
    let isBack = false;
    scene.server.respond(() => (isBack ? textReply("Well.") : BUSY));
    await using running = await start();
    const id = await addJob(running, { ...ASK, deleteAfterRun: false });
    scene.clock.pass(TO_NINE_MS);
    const delays: number[] = [];
    for (const attempt of [2, 3, 4, 5, 6]) {
      const { notBeforeMs = 0 } = await waiting(running, id, attempt);
      const delayMs = notBeforeMs - scene.clock.now();
      delays.push(Math.ceil(delayMs / 30_000) / 2);
      if (attempt === 6) isBack = true;
      scene.clock.pass(delayMs + SPARE_MS);
    }
    expect(delays).toEqual([0.5, 1, 5, 15, 60]);
    expect(await outcomes(running, id, 1)).toEqual(["done"]);
    expect((await rows(running, id))[0]).toMatchObject({ attempt: 6, text: "Well." });
    await scene.platform.waitForSends(1);
    expect(scene.texts).toEqual(["Well."]);
  });

  test("has failed if its next slot comes before its next attempt, and can be removed while it waits for one", async () => {
    scene.server.respond(() => BUSY);
    await using running = await start();
    const id = await addJob(running, { ...ASK, schedule: EVERY_TEN });
    scene.clock.pass(TO_NINE_MS);
    for (const attempt of [2, 3, 4])
      scene.clock.pass(((await waiting(running, id, attempt)).notBeforeMs ?? 0) - scene.clock.now() + SPARE_MS);
    const ended = async (): Promise<readonly string[]> => {
      scene.clock.pass(4000);
      return (await rows(running, id)).map(({ state }) => state);
    };
    await expect.poll(ended, { interval: 5 }).toEqual(["failed"]);
    expect((await job(running, id))?.failures).toBe(1);
    const other = await addJob(running, { ...ASK, name: "other", schedule: { type: "at", at: "1m" } });
    scene.clock.pass(MINUTE_MS);
    await waiting(running, other, 2);
    const { jobs } = running.gateway.engine.schedule;
    const found = jobs.find(other);
    if (found === undefined) throw new Error("the job is gone");
    expect(await jobs.remove(found)).toMatchObject({ type: "done" });
  });

  test("makes its check once for all attempts, and gives its output to each", async () => {
    let isBack = false;
    scene.server.respond(() => (isBack ? textReply("Well.") : BUSY));
    await using running = await start();
    const ids = [
      await addJob(running, { ...ASK, deleteAfterRun: false, check: { type: "url", url: "https://hooks.example/weather" } }),
      await addJob(running, { ...ASK, name: "file", deleteAfterRun: false, check: { type: "fileChanged", path: "list.txt" } }),
    ];
    await writeFile(path.join(scene.workspace, "list.txt"), "one");
    scene.clock.pass(TO_NINE_MS);
    for (const id of ids) await waiting(running, id, 2);
    isBack = true;
    scene.clock.pass(MINUTE_MS);
    for (const id of ids) expect(await outcomes(running, id, 1)).toEqual(["done"]);
    expect(fetched).toEqual(["https://hooks.example/weather"]);
    const last = scene.server.requests.slice(-2).map(({ body }) => JSON.stringify(body));
    expect(last.filter((body) => body.includes("sunny"))).toHaveLength(1);
  });
});

test("the owner is notified of a job after its third failure in a row, at most once an hour, and after the tenth it is disabled", async () => {
  await using running = await start();
  const id = await addJob(running, BUILD);
  scene.clock.pass(TO_NINE_MS);
  const alertedAt: number[] = [];
  for (let run = 1; run <= 10; run += 1) {
    await started(run);
    const before = (await job(running, id))?.alertedAtMs;
    commands.commands[run - 1]?.end("", { type: "not-started", message: "There is no make." });
    await outcomes(running, id, run);
    await running.gateway.engine.idle();
    if ((await job(running, id))?.alertedAtMs !== before) alertedAt.push(run);
    scene.clock.pass(10 * MINUTE_MS);
  }
  expect(alertedAt).toEqual([3, 9, 10]);
  await scene.platform.waitForSends(3);
  expect(scene.texts.map((text) => /failed \d+ times|is disabled/.exec(text)?.[0])).toEqual([
    "failed 3 times",
    "failed 9 times",
    "is disabled",
  ]);
  expect(scene.texts[0]).toContain("The last time: There is no make. factotum");
  const disabled = await job(running, id);
  expect(disabled).toMatchObject({ failures: 10, spec: { enabled: false } });
  expect(disabled?.nextSlotMs).toBeUndefined();
});

describe("after a restart, what was claimed and not begun", () => {
  async function restartAfter(ms: number, spec: Partial<JobSpec>): Promise<{ running: TestGateway; id: string }> {
    const first = await start({ around: endsAsKilled });
    const id = await addJob(first, { ...PING, ...spec });
    const claimed = await job(first, id);
    if (claimed === undefined) throw new Error("the job is gone");
    const slotMs = claimed.nextSlotMs ?? 0;
    await first.stop();
    scene.clock.pass(TO_NINE_MS);
    const { openSqliteStore } = await import("@factotum/store");
    const store = await openSqliteStore({
      folder: path.join(first.home, "state"),
      copies: { folder: () => path.join(first.home, "copies"), cwd: () => first.home, agents: async () => ["main"] },
      clock: scene.clock,
      random: { bytes: (count) => new Uint8Array(count), uuid: () => crypto.randomUUID(), float: () => 0.5 },
      logger: first.logger,
    });
    await store.claimOccurrences({ ...claimed, nextSlotMs: slotMs + 60 * MINUTE_MS }, [
      { jobId: id, slotMs, state: "claimed", attempt: 1 },
    ]);
    await store.close();
    scene.clock.pass(ms);
    return { running: await start({ home: first.home }), id };
  }

  test("is run within minutes", async () => {
    const { running, id } = await restartAfter(2 * MINUTE_MS, {});
    await using _running = running;
    expect(await outcomes(running, id, 1)).toEqual(["done"]);
  });

  test("is missed after that, and reported, unless the job catches up", async () => {
    const { running, id } = await restartAfter(30 * MINUTE_MS, {});
    await using _running = running;
    expect(await outcomes(running, id, 1)).toEqual(["missed the gateway was down, or the clock was set forward"]);
    await scene.platform.waitForSends(1);
    expect(scene.texts[0]).toContain("was due once and did not run");
    const other = await restartAfter(30 * MINUTE_MS, { catchUp: { mode: "once" } });
    await using _other = other.running;
    expect(await outcomes(other.running, other.id, 1)).toEqual(["done"]);
  });
});
