import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
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

describe("where something may be said", () => {
  const others = (config: FactotumConfig): FactotumConfig => {
    const [main] = config.agents;
    return main === undefined ? config : { ...config, agents: [main, { ...main, id: "two", isDefault: false }] };
  };

  test("an agent that is not there is refused, by its name and in a key", async () => {
    await using running = await startTestGateway({ patch: others });
    const { sessions } = running.gateway.engine;
    expect(await sessions.resolveTarget({})).toBe(KEY);
    expect(await sessions.resolveTarget({ agentId: "TWO" })).toBe("agent:two:main");
    expect(await sessions.resolveTarget({ agentId: "two", sessionKey: "agent:two:http:x" })).toBe("agent:two:http:x");
    await expect(sessions.resolveTarget({ agentId: "ghost" })).rejects.toThrow("Configured: main, two");
    await expect(sessions.resolveTarget({ sessionKey: "agent:ghost:main" })).rejects.toThrow("Configured: main, two");
    await expect(sessions.resolveTarget({ agentId: "two", sessionKey: KEY })).rejects.toThrow("the agent main's");
    await expect(sessions.resolveTarget({ sessionKey: "junk" })).rejects.toThrow("agent:main:main");
    const answer = await fetch(`${running.gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${running.token}`, "x-factotum-session": "agent:ghost:main" },
      body: JSON.stringify({ model: "factotum", messages: [{ role: "user", content: "hello" }] }),
    });
    expect(answer.status).toBe(404);
  });
});
