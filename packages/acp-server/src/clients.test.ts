import { methods } from "@agentclientprotocol/sdk";
import type { Approval } from "@factotum/protocol";
import { expect, test } from "vitest";
import { connectClient } from "../test/connect-client.ts";

const waitingCall = (sessionKey: string): Approval => ({
  id: "a1",
  agentId: "main",
  sessionKey,
  callId: "c1",
  toolName: "exec",
  text: "make",
  reason: "The mode asks.",
  requestedAtMs: 0,
  expiresAtMs: 1,
  isParked: false,
  decisions: ["allow-once", "allow-always", "deny"],
});

test("the run of a client that exits during a prompt continues", async () => {
  await using scene = await connectClient();
  const sessionId = await scene.open();
  const asked = scene.prompt(sessionId);
  asked.catch(() => undefined);
  await scene.gateway.begin();
  scene.input.end();
  await scene.served;
  expect(scene.gateway.requests("chat.abort")).toEqual([]);
});

test("a message that cannot be read is answered, and the next one as well", async () => {
  await using scene = await connectClient();
  scene.input.write("{ broken }\n[]\n7\n");
  scene.input.write(
    '{"jsonrpc":"2.0","id":"other","result":{}}\n{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"none"}}\n',
  );
  expect(await scene.open()).toContain("agent:main:acp:");
});

test("a client that sends more than a message may hold is disconnected", async () => {
  await using scene = await connectClient();
  scene.input.write("x".repeat(33 * 1024 * 1024));
  await scene.served;
  expect(scene.errors).toEqual([expect.stringContaining("more than 32 MiB")]);
});

test("a client that does not read is disconnected, and the gateway is unaffected", async () => {
  await using scene = await connectClient();
  const sessionId = await scene.open();
  const asked = scene.prompt(sessionId);
  asked.catch(() => undefined);
  const { key } = await scene.gateway.begin();
  scene.output.pause();
  scene.output.unpipe();
  const text = "x".repeat(1024 * 1024);
  for (let count = 0; count < 40; count += 1) {
    scene.gateway.emit(key, { type: "block-start", runId: "r1", block: "text" }, { type: "block-delta", runId: "r1", text });
  }
  await scene.served;
  expect(scene.errors).toEqual([expect.stringContaining("does not read")]);
});

test("a client that asks without end gets its answers, and its prompt is answered meanwhile", async () => {
  await using scene = await connectClient();
  const sessionId = await scene.open();
  const asked = scene.prompt(sessionId);
  const { end } = await scene.gateway.begin();
  const flood = Array.from({ length: 2_000 }, async (_, index) =>
    index % 2 === 0 ? scene.agent.request(methods.agent.session.list, {}) : scene.agent.request("session/dream", {}),
  );
  for (let count = 0; count < 2_000; count += 1)
    void scene.agent.notify(methods.agent.session.cancel, { sessionId: `agent:main:acp:none-${count}` });
  end();
  expect(await asked).toBe("end_turn");
  const outcomes = await Promise.allSettled(flood);
  expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(1_000);
  expect(scene.gateway.requests("chat.abort")).toEqual([]);
});

test("a client that never answers a request for a decision can cancel its prompt", async () => {
  await using scene = await connectClient({ decide: async () => new Promise(() => undefined) });
  const sessionId = await scene.open();
  const asked = scene.prompt(sessionId);
  const { end } = await scene.gateway.begin();
  scene.gateway.setWaiting([waitingCall(sessionId)]);
  await expect.poll(() => scene.questions.length).toBe(1);
  await scene.agent.notify(methods.agent.session.cancel, { sessionId });
  await expect.poll(() => scene.questions[0]?.signal.aborted).toBe(true);
  end({ outcome: { type: "aborted" } });
  expect(await asked).toBe("cancelled");
  expect(scene.gateway.requests("approvals.decide")).toEqual([]);
});

test("a decision that was not offered, and answers to requests that were never made, decide nothing", async () => {
  await using scene = await connectClient({ decide: () => ({ outcome: { outcome: "selected", optionId: "allow-everything" } }) });
  const sessionId = await scene.open();
  const asked = scene.prompt(sessionId);
  const { end } = await scene.gateway.begin();
  for (const id of [0, 99, -1, "x"])
    scene.input.write(
      `${JSON.stringify({ jsonrpc: "2.0", id, result: { outcome: { outcome: "selected", optionId: "allow-always" } } })}\n`,
    );
  scene.gateway.setWaiting([waitingCall(sessionId)]);
  await expect.poll(() => scene.questions.length).toBe(1);
  end();
  expect(await asked).toBe("end_turn");
  expect(scene.gateway.requests("approvals.decide")).toEqual([]);
});

test("a client that opens sessions without end is refused more than 100", async () => {
  await using scene = await connectClient();
  const opened = await Promise.allSettled(Array.from({ length: 150 }, async () => scene.open()));
  const refused = opened.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  expect(refused).toHaveLength(50);
  expect(refused[0]).toMatchObject({ code: -32_600, message: expect.stringContaining("Close one first") });
});
