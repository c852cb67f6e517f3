import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import type { FactotumConfig } from "@factotum/config";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";

test("an unsupported thinking level is reported once in the transcript, or with the answer if the message itself requested it", async () => {
  await using model = await startAnthropicServer();
  model.respond(() => textReply("Yes."));
  const platform = new TestPlatform();
  const patch = (config: FactotumConfig): FactotumConfig => {
    const patched = withModel(model.baseUrl)(config);
    const reference = { primary: "anthropic/claude-fable-5", fallbacks: [] };
    return { ...patched, agents: patched.agents.map((agent) => ({ ...agent, thinking: "off" as const, model: reference })) };
  };
  await using running = await startTestGateway({ platform, patch });
  for (const text of ["hello", "again", "/think off now?"]) {
    await platform.say(platform.message(text));
    await running.gateway.engine.idle();
  }
  const { entries } = await running.gateway.engine.sessions.history("agent:main:main", { limit: 50 });
  const notes = entries.flatMap((entry) => (entry.type === "notice" && entry.text.includes("in place of off") ? [entry.level] : []));
  expect(notes).toEqual(["info", "info"]);
  const said = platform.sent.map(({ outbound }) => outbound.type === "text" && outbound.text.includes("in place of off."));
  expect(said).toEqual([false, false, true]);
});
