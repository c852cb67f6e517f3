import { messageId } from "@factotum/channel-contract";
import type { MsgContext, Origin } from "@factotum/channel-contract";
import type { InputRecord, TurnRecord } from "@factotum/store";
import { expect, test } from "vitest";
import { createManualClock } from "../../test/manual-clock.ts";
import { inputsOf, isInputJob, leadInput } from "./turn-job.ts";
import type { InputJob, ResumeJob, TurnJob } from "./turn-job.ts";
import { LaneInterrupt, LaneYield } from "../kernel/lane-abort.ts";
import { TurnQueue } from "./turn-queue.ts";

const SESSION = "agent:main:main";
const OTHER_SESSION = "agent:main:other";
const ORIGIN: Origin = { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-1" } };
const ELSEWHERE: Origin = { ...ORIGIN, conversation: { kind: "direct", id: "dm-2" } };

interface Said extends Partial<Omit<InputJob, "messages" | "queue">> {
  readonly origin?: Origin;
  readonly admission?: Partial<InputRecord["admission"]>;
  readonly queue?: Partial<InputJob["queue"]>;
  readonly attachments?: MsgContext["attachments"];
}

function say(id: string, { origin = ORIGIN, admission = {}, queue = {}, attachments = [], ...rest }: Said = {}): InputJob {
  const message: MsgContext = {
    origin,
    eventId: id,
    messageId: messageId(id),
    timestampMs: 0,
    event: { type: "message" },
    sender: { id: "owner-1", isBot: false },
    text: id,
    mentionsBot: false,
    attachments,
  };
  const input: InputRecord = {
    id,
    message,
    admission: { owner: true, kind: "user", ...admission },
    receivedAtMs: 0,
    state: { type: "waiting" },
  };
  const settings = { mode: "followup", debounceMs: 0, cap: 20, drop: "summarize", ...queue } as const;
  return {
    type: "input",
    overflow: [],
    agentId: "main",
    messages: [{ input, overheard: [] }],
    queue: settings,
    arrival: { type: "committed" },
    inboundDebounceMs: 0,
    ...rest,
  };
}

function begun(id: string, patch: Partial<TurnRecord> = {}): TurnRecord {
  return {
    id,
    number: 1,
    sessionKey: SESSION,
    sessionId: "s",
    agentId: "main",
    kind: "user",
    origin: ORIGIN,
    owner: true,
    inputIds: [`${id}-input`],
    state: "running",
    attempts: 1,
    starts: 1,
    soloStarts: 0,
    startedAtMs: 0,
    usage: {} as TurnRecord["usage"],
    ...patch,
  };
}

const task = (id: string, log: string[], isBackground = false): TurnJob => ({
  type: "task",
  isBackground,
  run: async () => {},
  forget: () => log.push(`forgot ${id}`),
});

/** A queue whose jobs run until the test ends them. */
function createScene() {
  const started: TurnJob[] = [];
  const dropped: string[] = [];
  const reasons: unknown[] = [];
  const queue = new TurnQueue({
    clock: createManualClock(),
    capacities: () => ({ main: 8, subagent: 1, cron: 1 }),
  });
  queue.serve({
    onQueueChange: () => undefined,
    onMisplaced: async () => undefined,
    onError: (_key, error) => {
      throw error;
    },
    onDropped: (_key, { id }) => dropped.push(id),
    process: async (_key, job, { signal }) => {
      started.push(job);
      await new Promise<void>((resolve) => {
        const onAbort = (): void => {
          reasons.push(signal.reason);
          resolve();
        };
        if (signal.aborted) onAbort();
        else signal.addEventListener("abort", onAbort);
      });
    },
  });
  /** Waiting jobs, each as the ids of its inputs. */
  const waiting = (): readonly (readonly string[])[] =>
    queue.lanes.waiting(SESSION).map((job) => (isInputJob(job) ? inputsOf(job).map(({ id }) => id) : [job.type]));
  const add = async (...jobs: readonly InputJob[]): Promise<void> => {
    for (const job of jobs) queue.add(SESSION, job);
    await settle();
  };
  return { queue, started, dropped, reasons, waiting, add };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}

const DEBOUNCED = { inboundDebounceMs: 1000 };
const COLLECT: Said = { queue: { mode: "collect", debounceMs: 50 } };
const INTERRUPT: Said = { queue: { mode: "interrupt" } };
const STEER: Said = { queue: { mode: "steer" } };

test.each([
  ["another person", { admission: { owner: false } }],
  ["another conversation", { origin: ELSEWHERE }],
  ["another agent", { agentId: "other" }],
  ["a message that must be answered alone", { admission: { ownTurn: true } }],
  ["a message that may have crashed the gateway", { arrival: { type: "recovered", isSolo: true } }],
] satisfies [string, Said][])("a message of %s is not gathered with what waits, and interrupts nothing", async (_name, other) => {
  const { waiting, add, reasons } = createScene();
  await add(say("a"), say("b", COLLECT), say("c", { ...INTERRUPT, ...other }));
  expect(waiting()).toEqual([["b"], ["c"]]);
  expect(reasons).toEqual([]);
  await add(say("d", { ...COLLECT, ...other }));
  expect(waiting()[0]).toEqual(["b"]);
});

test.each(["steer", "followup", "collect"] as const)("%s does not interrupt", async (mode) => {
  const { add, reasons } = createScene();
  await add(say("a"), say("b", { queue: { mode } }));
  expect(reasons).toEqual([]);
});

test("a message in interrupt mode aborts the run of its own conversation, new or resumed", async () => {
  const { queue, add, reasons, waiting } = createScene();
  await add(say("a"), say("b", INTERRUPT));
  expect(reasons).toMatchObject([expect.any(LaneInterrupt)]);
  queue.lanes.enqueue(OTHER_SESSION, { type: "resume", turn: begun("t", { owner: false }) });
  await settle();
  queue.add(OTHER_SESSION, say("c", INTERRUPT));
  await settle();
  expect(reasons).toHaveLength(1);
  queue.add(OTHER_SESSION, say("d", { ...INTERRUPT, admission: { owner: false } }));
  await settle();
  expect(reasons).toHaveLength(2);
  expect(waiting()).toEqual([]);
});

test("a message in interrupt mode joins the waiting job while nothing runs", async () => {
  const { add, waiting, started } = createScene();
  await add(say("a", { ...INTERRUPT, notBeforeMs: 1 }), say("b", { ...INTERRUPT, notBeforeMs: 1 }));
  expect(waiting()).toEqual([["a", "b"]]);
  expect(started).toEqual([]);
});

test("a gathered job has the later message's settings, window and directives, and the overflow of both", async () => {
  const { queue, add } = createScene();
  const [early, late] = ["x", "y"].map((id) => leadInput(say(id)));
  await add(
    say("a"),
    say("b", { ...COLLECT, directives: { model: "m1", think: "low" } as never, overflow: [early as InputRecord] }),
    say("c", { queue: { mode: "collect", debounceMs: 90 }, directives: { model: "m2" } as never, overflow: [late as InputRecord] }),
  );
  expect(queue.lanes.waiting(SESSION)).toMatchObject([
    { queue: { debounceMs: 90 }, notBeforeMs: 90, directives: { model: "m2", think: "low" }, overflow: [{ id: "x" }, { id: "y" }] },
  ]);
});

test("messages within the debounce window are gathered up to the cap, and an attachment ends the window", async () => {
  const cap = { ...DEBOUNCED, queue: { cap: 2 } };
  const { queue, add, waiting, started } = createScene();
  await add(say("a", cap), say("b", cap), say("c", { ...cap, origin: ELSEWHERE }));
  expect(waiting()).toEqual([["a", "b"], ["c"]]);
  expect(started).toEqual([]);
  queue.lanes.remove(SESSION, queue.lanes.waiting(SESSION)[1] as TurnJob);
  await add(say("d", { ...DEBOUNCED, attachments: [{ kind: "image", ref: "f" }] }));
  expect(started.map((job) => (isInputJob(job) ? inputsOf(job).map(({ id }) => id) : []))).toEqual([["a", "b", "d"]]);
});

test("messages are steered in order: never past one of another conversation or one that must be answered alone", () => {
  const turn = begun("t");
  const steerable = (...jobs: readonly TurnJob[]): readonly string[] => {
    const { queue } = createScene();
    queue.lanes.enqueue(SESSION, { type: "task", run: async () => {}, forget: () => undefined });
    for (const job of jobs) queue.lanes.enqueue(SESSION, { ...job, notBeforeMs: 1 } as TurnJob);
    return queue.steerable(SESSION, turn).map((job) => leadInput(job).id);
  };
  expect(steerable(say("a", STEER), say("b", STEER))).toEqual(["a", "b"]);
  expect(steerable(say("a", STEER), say("b", { ...STEER, origin: ELSEWHERE }), say("c", STEER))).toEqual(["a", "c"]);
  expect(steerable(say("a", STEER), say("b", { ...STEER, admission: { owner: false } }), say("c", STEER))).toEqual(["a", "c"]);
  expect(steerable(say("a", STEER), say("b"), say("c", STEER))).toEqual(["a"]);
  expect(steerable(say("a", STEER), say("b", { ...STEER, admission: { ownTurn: true } }), say("c", STEER))).toEqual(["a"]);
  expect(steerable(say("a", STEER), say("b", { ...STEER, directives: {} }), say("c", STEER))).toEqual(["a"]);
  expect(steerable(say("a", STEER), { type: "resume", turn }, say("c", STEER))).toEqual(["a"]);
  expect(steerable(say("a", { ...STEER, admission: { kind: "cron" } }))).toEqual([]);
  const { queue } = createScene();
  queue.lanes.enqueue(SESSION, say("a", { ...STEER, notBeforeMs: 1 }));
  expect(queue.steerable(SESSION, begun("t", { kind: "cron" }))).toEqual([]);
  expect(queue.steerable(SESSION, begun("t", { agentId: "other" }))).toEqual([]);
});

test("a job taken for a turn leaves the queue; a job that has changed cannot be taken", async () => {
  const { queue, add, waiting } = createScene();
  await add(say("a"), say("b"), say("c"));
  const [first, second] = queue.lanes.waiting(SESSION) as [InputJob, InputJob];
  expect(queue.take(SESSION, first)).toBe(true);
  expect(queue.take(SESSION, first)).toBe(false);
  expect(waiting()).toEqual([["c"]]);
  queue.lanes.replace(SESSION, second, { ...second });
  expect(queue.take(SESSION, second)).toBe(false);
});

test("drops all messages, or those ahead of a job, and keeps tasks", async () => {
  const { queue, add, waiting } = createScene();
  const log: string[] = [];
  await add(say("a"), say("b"));
  const reset = task("reset", log);
  queue.lanes.enqueue(SESSION, reset);
  await add(say("c"));
  expect(queue.dropInputs(SESSION, reset).map(({ id }) => id)).toEqual(["b"]);
  expect(waiting()).toEqual([["task"], ["c"]]);
  expect(queue.dropInputs(SESSION, task("gone", log))).toEqual([]);
  expect(queue.dropInputs(SESSION).map(({ id }) => id)).toEqual(["c"]);
  expect(waiting()).toEqual([["task"]]);
  await queue.lanes.close("test", { drainMs: 0 });
  expect(log).toEqual(["forgot reset"]);
});

test("removes one input of several and keeps the others", async () => {
  const { queue, add, waiting, dropped } = createScene();
  await add(say("a"), say("b", { ...COLLECT, overflow: [leadInput(say("x")), leadInput(say("y"))] }), say("c", COLLECT));
  expect(queue.removeInput(SESSION, "nobody")).toBe(false);
  expect(queue.removeInput(SESSION, "x")).toBe(true);
  expect(waiting()).toEqual([["y", "b", "c"]]);
  expect(queue.removeInput(SESSION, "b")).toBe(true);
  expect(waiting()).toEqual([["y", "c"]]);
  expect(dropped).toEqual([]);
  expect(queue.removeInput(SESSION, "c")).toBe(true);
  expect(waiting()).toEqual([]);
  expect(dropped).toEqual(["y"]);
  expect(queue.removeInput(SESSION, "a")).toBe(false);
});

test.each(["summarize", "old"] as const)("the cap counts every gathered message and drops the oldest of them: %s", async (drop) => {
  const { waiting, add, dropped, queue } = createScene();
  const gathered: Said = { queue: { mode: "collect", debounceMs: 50, cap: 3, drop } };
  await add(say("a"), ...["b", "c", "d", "e", "f"].map((id) => say(id, gathered)));
  expect(waiting()).toEqual([drop === "summarize" ? ["b", "c", "d", "e", "f"] : ["d", "e", "f"]]);
  expect(queue.lanes.waiting(SESSION)).toMatchObject([{ overflow: drop === "summarize" ? [{ id: "b" }, { id: "c" }] : [] }]);
  expect(dropped).toEqual(drop === "summarize" ? [] : ["b", "c"]);
});

test("unattended work does not count against the cap", async () => {
  const { waiting, add, dropped } = createScene();
  const one: Said = { queue: { cap: 1, drop: "new" } };
  await add(say("a"), say("beat", { admission: { kind: "heartbeat" } }), say("b", one), say("c", one));
  expect(dropped).toEqual(["c"]);
  expect(waiting()).toEqual([["b"], ["beat"]]);
});

test("drops the oldest of more than a hundred overflow messages and reports them", async () => {
  const { queue, add, dropped } = createScene();
  const one: Said = { queue: { cap: 1 } };
  await add(say("a"), ...Array.from({ length: 103 }, (_, index) => say(`m${index}`, one)));
  expect(dropped).toEqual(["m0", "m1"]);
  const [job] = queue.lanes.waiting(SESSION) as [InputJob];
  expect(job.overflow?.map(({ id }) => id).at(0)).toBe("m2");
  expect(job.overflow).toHaveLength(100);
});

test("a person's message aborts background work and waiting background work yields; other background input does not", async () => {
  const { queue, add, reasons, started, waiting } = createScene();
  queue.lanes.enqueue(SESSION, task("notes", [], true));
  await settle();
  await add(say("beat", { admission: { kind: "cron" } }));
  expect(reasons).toEqual([]);
  queue.lanes.enqueue(SESSION, { type: "resume", turn: begun("t", { kind: "memory" }) });
  await add(say("a"));
  expect(reasons).toMatchObject([expect.any(LaneYield)]);
  expect([...started, ...queue.lanes.waiting(SESSION)]).toContainEqual(expect.objectContaining({ type: "resume", yields: true }));
  expect(waiting().flat()).not.toContain("task");
});

test.each([
  ["the result of a job's sub-agent", { kind: "a2a", cause: "cron" }, 1],
  ["the result of a person's sub-agent", { kind: "a2a", cause: "user" }, 2],
  ["a sub-agent of a job", { kind: "subagent", cause: "cron" }, 2],
] as const)("%s has the capacity of what it comes from, or of sub-agents", async (_case, admission, expected) => {
  const { queue, add, started } = createScene();
  queue.add(OTHER_SESSION, say("job", { admission: { kind: "cron" } }));
  await add(say("result", { admission }));
  expect(started).toHaveLength(expected);
});

test("resumes turns of the last process with the fewest attempts first, one at a time once one was interrupted twice", async () => {
  const { queue, started } = createScene();
  queue.resume([begun("t2", { attempts: 2, starts: 2 }), begun("t1", { sessionKey: OTHER_SESSION })]);
  await settle();
  expect(started).toMatchObject([{ turn: { id: "t1" }, isSolo: true }]);
  const together = createScene();
  together.queue.resume([begun("t1"), begun("t2", { sessionKey: OTHER_SESSION })]);
  await settle();
  expect(together.started).toHaveLength(2);
  expect(together.started.map((job) => (job as ResumeJob).isSolo)).toEqual([undefined, undefined]);
});

test("reports the addresses and inputs of running and waiting jobs, new and resumed", async () => {
  const { queue, add } = createScene();
  const log: string[] = [];
  queue.lanes.enqueue(SESSION, task("reset", log));
  await settle();
  expect([queue.worksFor(SESSION, ORIGIN), queue.worksOn(SESSION, "a")]).toEqual([false, false]);
  await add(say("a"));
  expect([queue.worksFor(SESSION, ORIGIN), queue.worksFor(SESSION, ELSEWHERE), queue.worksOn(SESSION, "a")]).toEqual([true, false, false]);
  queue.lanes.enqueue(OTHER_SESSION, { type: "resume", turn: begun("t", { inputIds: ["b", "c"] }) });
  await settle();
  expect([queue.worksFor(OTHER_SESSION, ORIGIN), queue.worksFor(OTHER_SESSION, ELSEWHERE)]).toEqual([true, false]);
  expect([queue.worksOn(OTHER_SESSION, "b"), queue.worksOn("agent:main:nobody", "b")]).toEqual([false, false]);
  queue.lanes.abort(SESSION, new LaneYield());
  await settle();
  expect([queue.worksOn(SESSION, "a"), queue.worksOn(SESSION, "b")]).toEqual([true, false]);
});
