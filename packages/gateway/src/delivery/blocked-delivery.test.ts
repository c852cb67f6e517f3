import type { SendReceipt } from "@factotum/channel-contract";
import type { GatewayStatus } from "@factotum/protocol";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";

const SLOW_DOWN: SendReceipt = {
  type: "rejected",
  code: "rate-limited",
  retry: { type: "after", delayMs: 3_600_000 },
  message: "slow down",
};

async function metric({ gateway, token }: TestGateway, line: RegExp): Promise<string | undefined> {
  const response = await fetch(`${gateway.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  return line.exec(await response.text())?.[1];
}

test("a throttled conversation is in the status, the metrics, the page's warnings and its own history", async () => {
  await using server = await startAnthropicServer();
  server.respond(() => textReply("Here."));
  const platform = new TestPlatform();
  platform.answer = () => SLOW_DOWN;
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  const startedMs = Date.now();
  await platform.say(platform.message("one"));
  await expect.poll(async () => (await running.gateway.status()).outbox.blocked).toHaveLength(1);
  await platform.say(platform.message("two"));
  await expect.poll(async () => (await running.gateway.status()).outbox.waiting).toBe(2);

  const client = await TestClient.connect(running.gateway.url, running.token);
  const { outbox } = (await client.call("status", {})) as GatewayStatus;
  expect(outbox).toMatchObject({
    deadLettered: 0,
    blocked: [
      {
        sessionKey: "agent:main:main",
        channel: "test",
        accountId: "default",
        conversation: "dm-1",
        waiting: 2,
        reason: "rate-limited: slow down",
      },
    ],
  });
  const [blocked] = outbox.blocked;
  expect(blocked?.sinceMs).toBeGreaterThanOrEqual(startedMs);
  expect(blocked?.sinceMs).toBeLessThanOrEqual((outbox.oldestAtMs ?? 0) + 1_000);
  expect(blocked?.nextTryMs).toBeGreaterThan(startedMs + 3_500_000);

  expect(await metric(running, /^factotum_outbox\{state="waiting"\} (\d+)/m)).toBe("2");
  expect(await metric(running, /^factotum_outbox_blocked\{channel="test",reason="rate-limited"\} (\d+)/m)).toBe("1");
  expect(Number(await metric(running, /^factotum_outbox_next_try_seconds (.*)/m))).toBeGreaterThan(3_500);
  expect(Number(await metric(running, /^factotum_outbox_oldest_seconds (.*)/m))).toBeGreaterThan(0);

  const { warnings } = (await client.call("warnings.list", {})) as { readonly warnings: readonly { readonly id: string }[] };
  expect(warnings.map(({ id }) => id)).toEqual(["late:test/default"]);
  const notices = async (): Promise<unknown[]> => {
    const { entries } = await running.gateway.engine.sessions.history("agent:main:main", { limit: 20 });
    return entries.filter(({ type }) => type === "notice");
  };
  await expect.poll(notices).toHaveLength(1);
  expect(await notices()).toMatchObject([
    { level: "warning", text: expect.stringMatching(/has not left yet \(rate-limited: slow down\)\. The next try is at /) },
  ]);
  client[Symbol.dispose]();
});

test("a late message is also reported where its conversation was used last, if that is on another account", async () => {
  await using server = await startAnthropicServer();
  server.respond(() => textReply("Here."));
  const throttled = new TestPlatform();
  let hasMoved = false;
  const soon: SendReceipt = { type: "rejected", code: "rate-limited", retry: { type: "after", delayMs: 20 } };
  throttled.answer = () => (hasMoved ? SLOW_DOWN : soon);
  const free = new TestPlatform();
  const accounts = [{ ...free.account({ accountId: "second" }), accountId: "second" }];
  await using running = await startTestGateway({ platform: throttled, accounts, patch: withModel(server.baseUrl) });
  await throttled.say(throttled.message("one"));
  await expect.poll(async () => (await running.gateway.status()).outbox.blocked).toHaveLength(1);
  // Both accounts are the owner's, so their direct messages share one session.
  const origin = { channel: "test", accountId: "second", conversation: { kind: "direct", id: "dm-2" } } as const;
  await free.say(free.message("two", { origin }));
  await free.waitForSends(1);
  hasMoved = true;
  await free.waitForSends(2);
  const texts = free.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));
  expect(texts.filter((text) => text.includes("has not left yet"))).toHaveLength(1);
});
