import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";

const KEY = "agent:main:main";

test("resets that come together while a run is at work all come back, and the session is at rest", async () => {
  await using model = await startAnthropicServer();
  model.respond(() => textReply("Yes."));
  const platform = new TestPlatform();
  await using running = await startTestGateway({ platform, patch: withModel(model.baseUrl) });
  const { sessions } = running.gateway.engine;
  const gate = model.hold();
  await platform.say(platform.message("hello"));
  await model.nextRequest();
  const resets = await Promise.all([1, 2, 3].map(async (n) => sessions.reset(KEY, { reason: `reset ${n}` })));
  gate.open();
  expect(new Set(resets.map(({ sessionId }) => sessionId)).size).toBe(3);
  expect(resets.map((record) => sessions.summary(record).running)).toEqual([false, false, false]);
});
