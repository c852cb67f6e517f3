import { startAnthropicServer } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { realClock, startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";

const SESSION = "agent:main:main";
const NOW_MS = Date.UTC(2026, 5, 15, 12);

test("what a reset stopped is reported as a reply in the chat, and in the new conversation with its time", async () => {
  await using server = await startAnthropicServer();
  const platform = new TestPlatform();
  await using running = await startTestGateway({
    platform,
    patch: withModel(server.baseUrl),
    clock: { ...realClock, now: () => NOW_MS },
  });
  const gate = server.hold();
  await platform.say(platform.message("one"));
  await server.nextRequest();
  await platform.say(platform.message("/new"));
  gate.open();
  await running.gateway.engine.idle();
  expect(platform.sent.map(({ outbound }) => outbound)).toMatchObject([
    { text: "Stopped what I was working on.", replyTo: "message-2" },
    { text: "This is a new conversation.", replyTo: "message-2" },
  ]);
  const { sessionId = "" } = (await running.store.readSession(SESSION)) ?? {};
  const { items } = await running.store.readTranscript(sessionId, { limit: 10 });
  expect(items.filter(({ type }) => type === "notice")).toMatchObject([
    { level: "info", text: "Stopped what I was working on.", timestampMs: NOW_MS },
    { level: "info", text: "This is a new conversation.", timestampMs: NOW_MS },
  ]);
});
