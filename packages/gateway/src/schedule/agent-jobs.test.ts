import type { JobCaller, JobChange, JobSpec, RunFacts } from "@factotum/agent-contract";
import type { InputRecord, JobAuthority, TurnRecord } from "@factotum/store";
import { expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import { AgentJobs } from "./agent-jobs.ts";

const GROUP = "agent:main:test:group:g1";
const CHAT: JobAuthority = {
  owner: true,
  sender: { id: "owner-1", isBot: false },
  origin: { channel: "test", accountId: "default", conversation: { kind: "group", id: "g1" } },
  sessionKey: GROUP,
};
const specOf = (name: string): JobSpec => ({ name, schedule: { type: "at", at: "20m" }, payload: { type: "message", text: "Tea" } });
const callerOf = (run: Partial<RunFacts> = {}): JobCaller => ({
  tainted: false,
  run: {
    runId: "t1",
    kind: "user",
    agentId: "main",
    sessionKey: GROUP,
    sessionId: "s1",
    workspace: "/",
    owner: true,
    timeZone: "UTC",
    ...run,
  },
});

test("a guest changes the guests' jobs of the session alone, an agent only its own, and a run of a job none", async () => {
  await using running = await startTestGateway({ platform: new TestPlatform() });
  const { jobs, systemEvents } = running.gateway.engine.schedule;
  let mayNest = false;
  const turn = { inputIds: ["1"], origin: CHAT.origin } as unknown as TurnRecord;
  const input = { admission: { sessionKey: GROUP }, message: { sender: CHAT.sender } } as unknown as InputRecord;
  const caused = { ...input, admission: { sessionKey: GROUP, cause: "cron" } } as unknown as InputRecord;
  const turns: Readonly<Record<string, TurnRecord>> = { t1: turn, t3: { ...turn, inputIds: ["2"] } };
  const agentJobs = new AgentJobs();
  agentJobs.connect({
    jobs,
    systemEvents,
    store: { readTurn: async (id) => Promise.resolve(turns[id]), readInput: async (id) => Promise.resolve(id === "2" ? caused : input) },
    modelOf: async () => Promise.resolve("a/b"),
    grantOf: async () => Promise.resolve(undefined),
    mayNest: () => mayNest,
    mayWork: async () => true,
  });
  const guest = callerOf({ owner: false });
  const elsewhere = callerOf({ owner: false, sessionKey: "agent:main:test:group:g2" });
  const typeOf = async (change: Promise<JobChange>): Promise<string> => (await change).type;
  const disable = async (name: string, caller: JobCaller): Promise<string> => typeOf(agentJobs.update(name, { enabled: false }, caller));

  expect(await typeOf(agentJobs.add(specOf("owner's"), callerOf()))).toBe("done");
  expect(await typeOf(agentJobs.add(specOf("guest's"), guest))).toBe("done");
  expect(await typeOf(agentJobs.add(specOf("lost"), callerOf({ runId: "t2" })))).toBe("refused");

  expect([await disable("guest's", guest), await disable("owner's", guest), await disable("guest's", elsewhere)]).toEqual([
    "done",
    "refused",
    "refused",
  ]);
  expect([await typeOf(agentJobs.remove("owner's", guest)), await agentJobs.runs("owner's", { limit: 1 }, guest)]).toEqual([
    "refused",
    undefined,
  ]);
  expect([await disable("guest's", callerOf()), await disable("owner's", callerOf({ agentId: "other" }))]).toEqual(["done", "refused"]);
  expect([await agentJobs.list(elsewhere), await agentJobs.list(callerOf({ agentId: "other" }))]).toEqual([[], []]);

  // The last one is of a run that a job has caused: the turn with the result of its sub-agent, or with a message that it sent.
  for (const job of [
    ...(["cron", "heartbeat", "hook"] as const).map((kind) => callerOf({ kind })),
    callerOf({ kind: "a2a", runId: "t3" }),
  ]) {
    const asked = [
      agentJobs.add(specOf("more"), job),
      agentJobs.update("owner's", {}, job),
      agentJobs.run("owner's", job),
      agentJobs.wake({ text: "x", wake: "now" }, job),
    ];
    for (const answer of asked) expect(await answer).toMatchObject({ type: "refused" });
  }
  mayNest = true;
  expect(await disable("owner's", callerOf({ kind: "cron" }))).toBe("done");
  expect(await agentJobs.wake({ text: "x", wake: "now" }, guest)).toMatchObject({ type: "refused" });

  // A guest's change of a guest's job takes no right of the owner's, and the owner's gives it none.
  const command = { payload: { type: "command", argv: ["date"] } } as const;
  expect(await agentJobs.update("guest's", command, callerOf())).toMatchObject({ type: "refused" });
  expect(await agentJobs.update("owner's", command, callerOf())).toMatchObject({ type: "done" });
});

test("a run that may call few tools makes no job that may call more", async () => {
  await using running = await startTestGateway({ platform: new TestPlatform(), patch: withModel("http://127.0.0.1:1") });
  const { jobs, systemEvents } = running.gateway.engine.schedule;
  const turn = { inputIds: ["1"], origin: CHAT.origin } as unknown as TurnRecord;
  const admission = { sessionKey: GROUP, job: { id: "j", name: "j", tools: ["read", "write"] } };
  const input = { admission, message: { sender: CHAT.sender } } as unknown as InputRecord;
  const agentJobs = new AgentJobs();
  agentJobs.connect({
    jobs,
    systemEvents,
    store: { readTurn: async () => Promise.resolve(turn), readInput: async () => Promise.resolve(input) },
    modelOf: async () => Promise.resolve("anthropic/claude-sonnet-5-5"),
    grantOf: async () => Promise.resolve(undefined),
    mayNest: () => true,
    mayWork: async () => true,
  });
  const caller = callerOf({ kind: "cron" });
  const task = (name: string, tools?: readonly string[]): JobSpec => ({
    ...specOf(name),
    payload: { type: "agentTurn", message: "Look." },
    ...(tools === undefined ? {} : { tools }),
  });
  expect(await agentJobs.add(task("all"), caller)).toMatchObject({ type: "done" });
  await agentJobs.add(task("some", ["read", "exec"]), caller);
  await agentJobs.add(specOf("text"), caller);
  await agentJobs.update("some", { tools: ["exec", "write"] }, caller);
  const toolsOf = (name: string): unknown => jobs.find(name, () => true)?.spec.tools;
  expect([toolsOf("all"), toolsOf("some"), toolsOf("text")]).toEqual([["read", "write"], ["write"], undefined]);
});

test("a turn has no job work in a session out of its reach, and changes none that does, but for switching it", async () => {
  await using running = await startTestGateway({ platform: new TestPlatform(), patch: withModel("http://127.0.0.1:1") });
  const { jobs, systemEvents } = running.gateway.engine.schedule;
  const turn = { inputIds: ["1"], origin: CHAT.origin } as unknown as TurnRecord;
  const input = { admission: { sessionKey: GROUP }, message: { sender: CHAT.sender } } as unknown as InputRecord;
  const inPrivate = callerOf({ sessionKey: "agent:main:main" });
  const agentJobs = new AgentJobs();
  agentJobs.connect({
    jobs,
    systemEvents,
    store: { readTurn: async () => turn, readInput: async () => input },
    modelOf: async () => "anthropic/claude-sonnet-5-5",
    grantOf: async () => undefined,
    mayNest: () => false,
    mayWork: async ({ spec }, { run }) => run.sessionKey === inPrivate.run.sessionKey || spec.session !== "main",
  });
  const task = (name: string, session: "main" | "isolated"): JobSpec => ({
    ...specOf(name),
    payload: { type: "agentTurn", message: "Look." },
    session,
  });
  expect(await agentJobs.add(task("hidden", "main"), callerOf())).toMatchObject({ type: "refused" });
  expect(await agentJobs.add(task("hidden", "main"), inPrivate)).toMatchObject({ type: "done" });
  expect(await agentJobs.add(task("own", "isolated"), callerOf())).toMatchObject({ type: "done" });
  expect(await agentJobs.update("own", { session: "main" }, callerOf())).toMatchObject({ type: "refused" });
  const changes: readonly Partial<JobSpec>[] = [
    { payload: { type: "agentTurn", message: "Tell them everything." } },
    { delivery: { type: "announce", to: "test:g1" } },
  ];
  for (const change of changes) expect(await agentJobs.update("hidden", change, callerOf())).toMatchObject({ type: "refused" });
  expect(await agentJobs.update("hidden", { enabled: false }, callerOf())).toMatchObject({ type: "done" });
});
