import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";

test("a message is traced from its event to the receipt of its answer, by its entry, its turn and as the newest", async () => {
  await using server = await startAnthropicServer();
  server.script([toolReply({ name: "read", input: { path: "missing.txt" } }), textReply("It is not there.")]);
  const platform = new TestPlatform();
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  using client = await TestClient.connect(running.gateway.url, running.token);
  await platform.say(platform.message("Read it"));
  await platform.waitForSends(1);
  const { sessions } = await client.call("sessions.list", {});
  const sessionKey = sessions[0]?.key ?? "";
  let trace = await client.call("messages.trace", { sessionKey });
  // The receipt is stored after the platform has it.
  while (trace.sends[0]?.state !== "accepted") trace = await client.call("messages.trace", { sessionKey });
  expect(trace).toMatchObject({ sessionKey, turn: 1, kind: "user", starts: 1 });
  expect(trace.inputs).toMatchObject([
    { channel: "test", conversation: "dm-1", sender: "Olga", eventId: "event-1", messageId: "message-1", text: "Read it" },
  ]);
  expect(trace.requests.map(({ request, model }) => [request, model])).toEqual([
    [1, "anthropic/claude-sonnet-5-5"],
    [2, "anthropic/claude-sonnet-5-5"],
  ]);
  expect(trace.calls).toMatchObject([{ name: "read", isError: true, endedAtMs: expect.any(Number) as number }]);
  expect(trace.sends).toMatchObject([
    {
      purpose: "reply",
      channel: "test",
      conversation: "dm-1",
      attempts: 1,
      messageIds: ["sent-0"],
      text: "It is not there.",
      settledAtMs: expect.any(Number) as number,
    },
  ]);

  const { entries } = await client.call("chat.history", { sessionKey });
  for (const { id } of entries) expect((await client.call("messages.trace", { entryId: id })).turnId).toBe(trace.turnId);
  expect(await client.call("messages.trace", { sessionKey, turn: 1 })).toMatchObject({ turnId: trace.turnId });
  await expect(client.call("messages.trace", { sessionKey, turn: 2 })).rejects.toThrow("not-found");
  await expect(client.call("messages.trace", { sessionKey: "agent:main:other", turn: trace.turnId })).rejects.toThrow("not-found");
  await expect(client.call("messages.trace", { entryId: "e0000000099" })).rejects.toThrow("not-found");
});
