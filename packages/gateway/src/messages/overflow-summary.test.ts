import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";

test("overflow messages are listed as one truncated line each", async () => {
  await using model = await startAnthropicServer();
  model.respond(() => textReply("Yes."));
  const platform = new TestPlatform();
  const patch = (config: FactotumConfig): FactotumConfig => {
    const patched = withModel(model.baseUrl)(config);
    const queue = { ...patched.messages.queue, mode: "followup" as const, cap: 1, drop: "summarize" as const };
    return { ...patched, messages: { ...patched.messages, queue } };
  };
  await using running = await startTestGateway({ platform, patch });
  const gate = model.hold();
  await platform.say(platform.message("one"));
  await model.nextRequest();
  for (const text of ["two\n\n  lines ", "x".repeat(200), "last"]) await platform.say(platform.message(text));
  gate.open();
  await running.gateway.engine.idle();
  const sent = JSON.stringify(model.requests.at(-1)?.body);
  expect(sent).toContain("- two lines\\n");
  expect(sent).toContain(`- ${"x".repeat(160)}…`);
});
