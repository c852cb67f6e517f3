import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import { expect, test, vi } from "vitest";
import type { TestRunner } from "../../test/complete-runner.ts";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";

const runner: TestRunner = {
  run: async () => ({ end: { type: "exited", exitCode: 0 }, output: "done\n", outputBytes: 5, durationMs: 1 }),
};

test("clients get a call that waits with characters that reorder or hide text as their codes, as chats do", async () => {
  await using server = await startAnthropicServer();
  server.respond(({ body }) =>
    JSON.stringify(body).includes("tool_result")
      ? textReply("Fine.")
      : toolReply({ id: "toolu_1", name: "exec", input: { command: "cat \u202Efdp.exe\u202C \u200Bnotes\n\techo 你好" } }),
  );
  const platform = new TestPlatform();
  await using running = await startTestGateway({
    platform,
    runner,
    asks: true,
    patch: (config) => {
      const base = withModel(server.baseUrl)(config);
      return { ...base, tools: { ...base.tools, exec: { ...base.tools.exec, mode: "ask" } } };
    },
  });
  using client = await TestClient.connect(running.gateway.url, running.token);
  await platform.say(platform.message("run it"));
  const waiting = await vi.waitUntil(async () => (await client.call("approvals.list", {})).waiting[0], { timeout: 10_000 });
  expect(waiting.text).toContain(String.raw`cat \u{202e}fdp.exe\u{202c} \u{200b}notes`);
  expect(waiting.text).toContain("notes\n\techo 你好");
  const { approval } = await client.call("approvals.decide", { id: waiting.id, decision: "deny" });
  expect(approval.text).toBe(waiting.text);
  const { calls } = await client.call("messages.trace", { sessionKey: waiting.sessionKey });
  const { requestedAtMs: atMs, decidedAtMs: untilMs } = approval;
  expect(calls).toMatchObject([{ name: "exec", waits: [{ atMs, untilMs }] }]);
  // What the conversation shows of it stays true, and says what was decided.
  const { entries } = await running.gateway.engine.sessions.history(waiting.sessionKey, { limit: 20 });
  const notices = entries.flatMap((entry) => (entry.type === "notice" ? [entry] : []));
  expect(JSON.stringify(notices[0]?.blocks)).toMatch(/I want to use exec, which needs your decision:(?!.*Reply with)/);
  expect(notices.map(({ text }) => text)).toContain("Denied: it is not run.");
});
