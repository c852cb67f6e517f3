import type { JobSpec, RunFacts } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import { startTestGateway, TestPlatform } from "../../test/gateway-harness.ts";
import { AgentJobs } from "./agent-jobs.ts";

test("others than the owner see the jobs of their session, without those that the owner made there", async () => {
  await using running = await startTestGateway({ platform: new TestPlatform() });
  const { schedule, parts } = running.gateway.engine;
  const agentJobs = new AgentJobs();
  agentJobs.connect({
    ...schedule,
    store: parts.store,
    modelOf: async () => "test/model",
    grantOf: async () => undefined,
    mayNest: () => false,
    mayWork: async () => true,
  });
  const sessionKey = "agent:main:test:group:one";
  const add = async (name: string, owner: boolean): Promise<void> => {
    const spec: JobSpec = { name, schedule: { type: "every", every: "1d" }, payload: { type: "message", text: "Hello." } };
    const origin = { channel: "test", accountId: "default", conversation: { kind: "group", id: "one" } } as const;
    const authority = { owner, sender: { id: "somebody", isBot: false }, origin, sessionKey };
    const change = await schedule.jobs.add(spec, { agentId: "main", authority });
    if (change.type === "refused") throw new Error(change.message);
  };
  await add("owner's", true);
  await add("guest's", false);
  const runOf = (owner: boolean): RunFacts => ({
    runId: "t1",
    kind: "user",
    agentId: "main",
    sessionId: "s1",
    sessionKey,
    owner,
    workspace: "/",
    timeZone: "UTC",
  });
  const names = async (owner: boolean): Promise<readonly string[]> =>
    (await agentJobs.list({ run: runOf(owner), tainted: false })).map(({ spec }) => spec.name);
  expect([await names(true), await names(false)]).toEqual([["owner's", "guest's"], ["guest's"]]);

  // A name that the owner has taken is free for a guest, and each means their own job by it.
  await add("tea", true);
  await add("tea", false);
  const [, , owned, given] = await schedule.jobs.list();
  expect([schedule.jobs.find("tea")?.id, schedule.jobs.find(given?.id ?? "")?.id]).toEqual([owned?.id, given?.id]);
  const caller = { run: runOf(false), tainted: false };
  expect(await agentJobs.remove("tea", caller)).toMatchObject({ type: "done", job: { id: given?.id } });
  expect(await agentJobs.remove("tea", caller)).toMatchObject({ type: "refused" });
  await expect(add("tea", true)).rejects.toThrow("already");
});
