import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";
import { WebhookIntake } from "../webhooks/webhook-intake.ts";

test("deliveries are listed newest first, by their address, with outcome and conversation, and no other message is", async () => {
  await using server = await startAnthropicServer();
  server.script([textReply("The build is broken."), textReply("NO_REPLY"), textReply("Hello.")]);
  const platform = new TestPlatform();
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  const { engine } = running.gateway;
  const intake = new WebhookIntake({
    ...engine.parts,
    intake: { submit: async (message, admission) => engine.submit(message, admission) },
    schedule: engine.schedule,
  });
  const accept = async (type: "agent" | "wake", scope: string): Promise<void> => {
    const work = { type, name: "its own name", payload: scope, wakeMode: "next-heartbeat", deliver: "none" } as const;
    expect(await intake.accept(work, { scope, body: Buffer.from(scope) })).toMatchObject({ type: "accepted" });
    await engine.idle();
  };
  await accept("agent", "mapping:build");
  await accept("agent", "agent");
  await platform.say(platform.message("Hi"));
  await engine.idle();
  await accept("wake", "wake");
  using client = await TestClient.connect(running.gateway.url, running.token);
  const { deliveries } = await client.call("webhooks.deliveries", {});
  expect(deliveries).toMatchObject([
    { webhook: "wake", state: "waiting", sent: "wake" },
    { webhook: "agent", state: "silent", sessionKey: expect.stringMatching(/^hook:/) as string, turnId: expect.any(String) as string },
    {
      webhook: "build",
      state: "answered",
      sent: "mapping:build",
      answer: "The build is broken.",
      sessionKey: expect.stringMatching(/^hook:/) as string,
    },
  ]);
  expect((await client.call("webhooks.deliveries", { limit: 1 })).deliveries).toEqual(deliveries.slice(0, 1));
  await accept("wake", "long ".repeat(100));
  const [long] = (await client.call("webhooks.deliveries", { limit: 1 })).deliveries;
  expect([long?.sent?.length, long?.sent?.endsWith("…")]).toEqual([300, true]);
});
