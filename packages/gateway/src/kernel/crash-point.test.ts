import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { CRASH_POINTS } from "./crash-point.ts";
import type { CrashPoint } from "./crash-point.ts";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";

test("a message with a tool passes every crash point once, in the order of writes and sends", async () => {
  await using server = await startAnthropicServer();
  server.script([toolReply({ name: "write", input: { path: "a.txt", content: "1" } }), textReply("Done.")]);
  const platform = new TestPlatform();
  const reached: { readonly point: CrashPoint; readonly requests: number; readonly sent: number }[] = [];
  const running = await startTestGateway({
    platform,
    patch: withModel(server.baseUrl),
    crashPoint: (point) => reached.push({ point, requests: server.requests.length, sent: platform.sent.length }),
  });
  await platform.say(platform.message("write"));
  await running.gateway.engine.idle();
  await running[Symbol.asyncDispose]();
  expect(reached).toEqual([
    { point: "before-inbound-commit", requests: 0, sent: 0 },
    { point: "after-inbound-commit", requests: 0, sent: 0 },
    { point: "after-claim", requests: 0, sent: 0 },
    { point: "mid-tool", requests: 1, sent: 0 },
    { point: "mid-stream", requests: 2, sent: 0 },
    { point: "after-final-commit", requests: 2, sent: 0 },
    { point: "before-send", requests: 2, sent: 0 },
    { point: "after-send", requests: 2, sent: 1 },
  ]);
  expect(new Set(reached.map(({ point }) => point))).toEqual(new Set(CRASH_POINTS));
});
