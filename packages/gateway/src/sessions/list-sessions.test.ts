import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";

test("a list of sessions reads one row more than its page, and a filter by kind finds sessions far down", async () => {
  await using running = await startTestGateway();
  const { store } = running;
  const nowMs = running.gateway.engine.parts.clock.now();
  await Promise.all(
    Array.from({ length: 300 }, async (_, index) => {
      const key = index === 3 ? "agent:main:test:group:g" : `agent:main:test:direct:${index}`;
      const session = { key, sessionId: `s${index}`, agentId: "main", isPrivate: false, displayName: key };
      await store.createSession(session, { nowMs: nowMs - (300 - index) * 60_000 + 30_000 });
    }),
  );
  using client = await TestClient.connect(running.gateway.url, running.token);
  const rowsOf = async <Result>(work: () => Promise<Result>): Promise<readonly [number, Result]> => {
    const before = store.metrics().rowsRead;
    const result = await work();
    return [store.metrics().rowsRead - before, result];
  };
  const [rows, first] = await rowsOf(async () => client.call("sessions.list", { limit: 20 }));
  // The newest runs are read in one query, and these sessions have none.
  expect([rows, first.sessions.length]).toEqual([21, 20]);
  const [more, second] = await rowsOf(async () => client.call("sessions.list", { limit: 20, cursor: first.cursor ?? "" }));
  expect(more).toBe(21);
  expect(new Set([...first.sessions, ...second.sessions].map(({ key }) => key)).size).toBe(40);

  const [looked, none] = await rowsOf(async () => client.call("sessions.list", { kinds: ["group"], limit: 20 }));
  expect([looked, none.sessions]).toEqual([201, []]);
  const found = await client.call("sessions.list", { kinds: ["group"], limit: 20, cursor: none.cursor ?? "" });
  expect(found).toMatchObject({ sessions: [{ key: "agent:main:test:group:g", kind: "group" }] });
  expect(found.cursor).toBeUndefined();
  const { sessions } = await client.call("sessions.list", { activeMinutes: 5, limit: 20 });
  expect(sessions.map(({ sessionId }) => sessionId)).toEqual(["s299", "s298", "s297", "s296", "s295"]);
  await expect(client.call("sessions.list", { cursor: "nonsense" })).rejects.toThrow("not a position in this list");
});

test("a list of sessions marks those whose last message was interrupted, also after a heartbeat", async () => {
  await using server = await startAnthropicServer();
  const platform = new TestPlatform();
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  const { engine } = running.gateway;
  const gate = server.hold();
  server.respond(() => textReply("HEARTBEAT_OK"));
  await platform.say(platform.message("one"));
  await server.nextRequest();
  await platform.say(platform.message("/stop"));
  gate.open();
  await engine.idle();
  await engine.submit(platform.message("Heartbeat."), { owner: true, kind: "heartbeat", sessionKey: "agent:main:main" });
  await engine.idle();
  expect((await engine.sessions.list({})).sessions).toMatchObject([{ key: "agent:main:main", interrupted: true }]);
  await platform.say(platform.message("two"));
  await engine.idle();
  expect((await engine.sessions.list({})).sessions[0]).not.toHaveProperty("interrupted");
});
