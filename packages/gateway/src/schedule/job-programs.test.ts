import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";
import type { JobCaller, JobSpec, JsonValue } from "@factotum/agent-contract";
import type { FactotumConfig } from "@factotum/config";
import type { TurnRecord, InputRecord } from "@factotum/store";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { createHeldCommands, type HeldCommands } from "../../test/held-commands.ts";
import { addJob, hasOutcome, JobScene, OWNER_CHAT, shownOutcome } from "../../test/job-scene.ts";
import { bindingDigest } from "../approvals/call-binding.ts";
import { AgentJobs } from "./agent-jobs.ts";
import { programGrantOf } from "./program-grant.ts";

const START_MS = Date.UTC(2026, 2, 2, 8);
const HOUR_MS = 60 * 60_000;
const HOURLY = { type: "every", every: "1h", anchor: "2026-03-02T09:00:00Z" } as const;
const REASONS = {
  deny: 'tools.exec.mode is "deny"',
  ask: 'it was made while commands ran without asking, and tools.exec.mode is "ask" now',
};

let scene: JobScene;
let commands: HeldCommands;
let program: string;
let build: JobSpec;
beforeEach(async () => {
  scene = await JobScene.create(START_MS);
  commands = createHeldCommands();
  program = path.join(scene.workspace, "build.sh");
  await write("echo one");
  build = { name: "build", schedule: HOURLY, payload: { type: "command", argv: [program] } };
});
afterEach(() => scene[Symbol.asyncDispose]());

const write = async (text: string): Promise<void> => {
  await writeFile(program, text);
  await chmod(program, 0o755);
};
const withMode =
  (mode: FactotumConfig["tools"]["exec"]["mode"]) =>
  (config: FactotumConfig): FactotumConfig => ({ ...config, tools: { ...config.tools, exec: { ...config.tools.exec, mode } } });
const start = async (options: Parameters<JobScene["start"]>[0] = {}): Promise<TestGateway> =>
  scene.start({ hostCommands: commands, ...options });

/** The outcomes of a job, oldest first, once there are as many. */
async function outcomes({ store }: TestGateway, id: string, count: number): Promise<readonly string[]> {
  const read = async (): Promise<readonly string[]> =>
    (await store.listOccurrences(id, { limit: 100 })).toReversed().filter(hasOutcome).map(shownOutcome);
  await expect.poll(read, { interval: 5 }).toHaveLength(count);
  return read();
}

/** Lets the next slot come, and ends the program that it starts. */
async function runOnce(running: TestGateway, id: string, count: number): Promise<readonly string[]> {
  scene.clock.pass(HOUR_MS);
  await expect.poll(() => commands.commands.length, { interval: 5 }).toBe(count);
  commands.commands.at(-1)?.end("built");
  return outcomes(running, id, count);
}

/** The notice that a job was disabled, once the owner has got it. */
async function told(): Promise<string> {
  await expect.poll(() => scene.texts.filter((text) => text.includes("disabled")), { interval: 5 }).toHaveLength(1);
  return scene.texts.find((text) => text.includes("disabled")) ?? "";
}

/** The tool's view of jobs, in a turn of the owner's whose call has this binding. */
function agentJobs({ gateway, store }: TestGateway, binding: JsonValue): { readonly jobs: AgentJobs; readonly caller: JobCaller } {
  const { schedule, parts } = gateway.engine;
  const jobs = new AgentJobs();
  jobs.connect({
    ...schedule,
    store: {
      readTurn: async () => ({ inputIds: ["1"], origin: OWNER_CHAT.origin }) as unknown as TurnRecord,
      readInput: async () => ({ admission: {}, message: { sender: OWNER_CHAT.sender } }) as unknown as InputRecord,
    },
    modelOf: async () => "a/b",
    grantOf: async (caller) => programGrantOf(caller, { store, running: parts.running }),
    mayNest: () => false,
    mayWork: async () => true,
  });
  const run = {
    runId: "t1",
    kind: "user",
    agentId: "main",
    sessionKey: OWNER_CHAT.sessionKey,
    sessionId: "s1",
    workspace: scene.workspace,
    owner: true,
    timeZone: "UTC",
  } as const;
  return { jobs, caller: { tainted: false, run, binding } };
}

describe("the program of a job", () => {
  test("that was replaced while its check ran does not run", async () => {
    await using running = await start();
    const id = await addJob(running, { ...build, check: { type: "argv", argv: ["true"] } });
    scene.clock.pass(HOUR_MS);
    await expect.poll(() => commands.commands.length, { interval: 5 }).toBe(1);
    await write("echo two");
    commands.commands[0]?.end("");
    const [outcome] = await outcomes(running, id, 1);
    expect(outcome).toContain(`${program} has changed since it was allowed`);
    expect(commands.commands).toHaveLength(1);
  });

  test("that was replaced does not run; the owner is notified once, and can allow it again", async () => {
    await using running = await start();
    const id = await addJob(running, build);
    expect(await runOnce(running, id, 1)).toEqual(["done"]);
    await write("echo two");
    scene.clock.pass(HOUR_MS);
    expect(await outcomes(running, id, 2)).toEqual(["done", `skipped program: ${program} has changed since it was allowed`]);
    expect(await told()).toContain(`factotum cron update ${id} --enabled`);
    scene.clock.pass(HOUR_MS);
    // The assistant can enable it again, and allow nothing by that.
    const { jobs } = running.gateway.engine.schedule;
    const found = jobs.find(id);
    if (found === undefined) throw new Error("the job is gone");
    await jobs.update(found, { enabled: true }, { owner: true });
    scene.clock.pass(HOUR_MS);
    expect((await outcomes(running, id, 3)).at(-1)).toContain("has changed");
    await jobs.update(found, { enabled: true }, { owner: true, allowsPrograms: true });
    scene.clock.pass(HOUR_MS);
    await expect.poll(() => commands.commands.length, { interval: 5 }).toBe(2);
    commands.commands[1]?.end("built");
    expect((await outcomes(running, id, 4)).at(-1)).toBe("done");
  });

  test("of a check is looked at as well, with the script that it is given", async () => {
    await using running = await start();
    const check = { type: "argv", argv: ["sh", "build.sh"] } as const;
    const id = await addJob(running, { ...build, payload: { type: "message", text: "ping" }, check });
    await write("exit 0");
    scene.clock.pass(HOUR_MS);
    expect(await outcomes(running, id, 1)).toEqual([`skipped program: ${program} has changed since it was allowed`]);
    expect(commands.commands).toEqual([]);
  });

  test.each(["deny", "ask"] as const)(
    "that ran without asking does not run while the mode is %s, and neither does its check",
    async (mode) => {
      const first = await start({ patch: withMode("full") });
      const { jobs, caller } = agentJobs(first, { fields: "x" });
      const made = await jobs.add(build, caller);
      const checked = await jobs.add(
        { ...build, name: "checked", payload: { type: "message", text: "ping" }, check: { type: "argv", argv: [program] } },
        caller,
      );
      if (made.type === "refused" || checked.type === "refused") throw new Error("a job was refused");
      await first.stop();
      await using running = await start({ home: first.home, patch: withMode(mode) });
      scene.clock.pass(HOUR_MS);
      for (const { job } of [made, checked]) expect(await outcomes(running, job.id, 1)).toEqual([`skipped program: ${REASONS[mode]}`]);
      expect(commands.commands).toEqual([]);
    },
  );

  test("is refused while programs are denied, also to the owner, and to an assistant that may run no commands", async () => {
    await using denying = await start({ patch: withMode("deny") });
    await expect(addJob(denying, build)).rejects.toThrow(REASONS.deny);
    await using running = await start({
      patch: (config) => ({ ...withMode("full")(config), tools: { ...withMode("full")(config).tools, deny: ["exec"] } }),
    });
    const { jobs, caller } = agentJobs(running, { fields: "x" });
    expect(await jobs.add(build, caller)).toMatchObject({ type: "refused", message: expect.stringContaining("no longer has") as string });
    expect(await addJob(running, build)).toBeTypeOf("string");
  });

  test("that a decision allowed runs until the decision is taken back", async () => {
    await using running = await start({ patch: withMode("ask") });
    const { jobs, caller } = agentJobs(running, { fields: "x" });
    const approval = await running.store.requestApproval(
      {
        id: "K7RWQ2",
        sessionKey: OWNER_CHAT.sessionKey,
        sessionId: "s1",
        agentId: "main",
        turnId: "t1",
        callId: "c1",
        toolName: "cron",
        arguments: {},
        binding: bindingDigest("cron", { fields: "x" }, scene.workspace),
        text: "Schedule a job",
        reason: "Rule exec",
        origin: OWNER_CHAT.origin,
        expiresAtMs: START_MS + HOUR_MS,
      },
      { nowMs: START_MS },
    );
    await running.store.decideApproval(approval.id, { decision: "allow-once", nowMs: START_MS });
    const made = await jobs.add(build, caller);
    if (made.type === "refused") throw new Error(made.message);
    expect(await runOnce(running, made.job.id, 1)).toEqual(["done"]);
    expect(await running.gateway.engine.parts.approvals.revoke(approval.id)).toBe(true);
    scene.clock.pass(HOUR_MS);
    expect((await outcomes(running, made.job.id, 2)).at(-1)).toBe("skipped program: the decision K7RWQ2 that allowed it was taken back");
    expect(await told()).toContain("is disabled");
  });
});
