import { expect, test } from "vitest";
import { startTestGateway, TestPlatform } from "../../test/gateway-harness.ts";

test("the answers of two installations to two events are two sends for the platform", async () => {
  const keys: (string | undefined)[] = [];
  for (const eventId of ["event-a", "event-b"]) {
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform });
    await platform.say(platform.message("/help", { eventId }));
    await platform.waitForSends(1);
    keys.push(platform.sent[0]?.idempotencyKey);
    await running.gateway.engine.idle();
  }
  expect(keys[0]).not.toBe(keys[1]);
});

test("no answer is longer than the account allows", async () => {
  const platform = new TestPlatform();
  await using running = await startTestGateway({ platform, accountConfig: { textChunkLimit: 100 } });
  await platform.say(platform.message("/help"));
  await running.gateway.engine.idle();
  const lengths = platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text.length : 0));
  expect(lengths.length).toBeGreaterThan(1);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(100);
});
