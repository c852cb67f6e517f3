import { expect, test } from "vitest";
import { connectClient } from "../test/connect-client.ts";

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

test("a client that opens sessions without end is refused more than 100", async () => {
  await using scene = await connectClient();
  const opened = await Promise.allSettled(Array.from({ length: 150 }, async () => scene.open()));
  const refused = opened.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  expect(refused).toHaveLength(50);
  expect(refused[0]).toMatchObject({ code: -32_600, message: expect.stringContaining("Close one first") });
});
