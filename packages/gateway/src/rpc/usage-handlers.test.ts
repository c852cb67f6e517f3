import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startTestGateway, withModel } from "../../test/gateway-harness.ts";
import { createMovableClock } from "../../test/movable-clock.ts";
import { TestClient } from "../../test/test-client.ts";

test("usage is grouped, adds up to the total, and comes with the caps and what remains", async () => {
  await using server = await startAnthropicServer();
  server.script([textReply("One."), textReply("Two."), { type: "error", errorType: "authentication_error", message: "no" }]);
  await using running = await startTestGateway({
    patch: (config) => ({
      ...withModel(server.baseUrl)(config),
      spend: { ...config.spend, perCause: { user: { tokensPerDay: 1_000_000, usdPerDay: 5 } } },
    }),
  });
  using client = await TestClient.connect(running.gateway.url, running.token);
  for (const sessionKey of ["agent:main:a", "agent:main:b", "agent:main:b"])
    await client.call("agent", { message: "Hello", sessionKey, idempotencyKey: `${sessionKey}${Math.random()}` });

  const report = await client.call("usage.query", { by: ["session", "model"] });
  expect(report.total).toMatchObject({ requests: 3, failed: 1 });
  expect(report.groups.map(({ keys, requests }) => [keys, requests])).toEqual(
    expect.arrayContaining([
      [{ session: "agent:main:a", model: "anthropic/claude-sonnet-5-5" }, 1],
      [{ session: "agent:main:b", model: "anthropic/claude-sonnet-5-5" }, 2],
    ]),
  );
  for (const name of ["total", "input", "output", "cacheRead"] as const)
    expect(report.groups.reduce((sum, group) => sum + group[name], 0)).toBe(report.total[name]);
  expect(report.total.costUsd).toBeGreaterThan(0);
  expect(report.charged).toMatchObject([{ agent: "main", cause: "user", calls: 3 }]);
  const cap = report.caps.find(({ name }) => name === "spend.perCause.user");
  expect(cap).toMatchObject({ agent: "main", tokensPerDay: 1_000_000, tokensLeft: 1_000_000 - report.total.total, usdPerDay: 5 });
  expect(report.caps.map(({ name }) => name)).toContain("spend.unattended");

  const byDay = await client.call("usage.query", { timeZone: "Asia/Shanghai" });
  const shanghai = new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10);
  expect(byDay.groups.map(({ keys }) => keys)).toEqual([{ day: shanghai }]);
  expect(await client.call("usage.query", { by: ["session"], limit: 1 })).toMatchObject({ groups: [{}], omitted: 1 });
  expect((await client.call("usage.query", { toMs: report.fromMs })).total).toMatchObject({ requests: 0 });
  await expect(client.call("usage.query", { timeZone: "Mars/Olympus" })).rejects.toThrow("invalid-request");
  await expect(client.call("usage.query", { fromMs: 2, toMs: 1 })).rejects.toThrow("ends before it begins");
});

test("of more groups than the limit those of the newest days are kept, in order of time", async () => {
  await using server = await startAnthropicServer();
  server.respond(() => textReply("Fine."));
  const clock = createMovableClock();
  await using running = await startTestGateway({ clock, patch: withModel(server.baseUrl) });
  using client = await TestClient.connect(running.gateway.url, running.token);
  for (const sessionKey of ["agent:main:a", "agent:main:b", "agent:main:c"]) {
    await client.call("agent", { message: "Hello", sessionKey, idempotencyKey: sessionKey });
    clock.advance(86_400_000);
  }
  const report = await client.call("usage.query", { by: ["day", "session"], timeZone: "UTC", limit: 2 });
  expect(report).toMatchObject({
    groups: [{ keys: { day: "2026-03-02", session: "agent:main:b" } }, { keys: { day: "2026-03-03", session: "agent:main:c" } }],
    omitted: 1,
  });
});
