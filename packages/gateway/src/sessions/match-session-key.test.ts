import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startTestGateway, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";

const KEY = "agent:main:test:group:AbC";
const OTHER_CASE = "agent:main:test:group:aBc";
const THIRD_CASE = "agent:main:test:group:ABC";

async function complete({ gateway, token }: TestGateway, sessionKey: string): Promise<void> {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "x-factotum-session": sessionKey },
    body: JSON.stringify({ model: "factotum", messages: [{ role: "user", content: "hello" }] }),
  });
  expect(answer.status).toBe(200);
  await answer.text();
}

async function keysOf({ store }: TestGateway): Promise<readonly string[]> {
  return (await store.listSessions({ limit: 10 })).items.map(({ key }) => key).toSorted();
}

test("a key that differs only in case names the existing session, in every method and route that takes one", async () => {
  await using model = await startAnthropicServer();
  model.respond(() => textReply("Yes."));
  await using running = await startTestGateway({ patch: withModel(model.baseUrl) });
  using client = await TestClient.connect(running.gateway.url, running.token);
  const say = async (sessionKey: string, idempotencyKey: string): Promise<string> =>
    (await client.call("agent", { message: "hello", sessionKey, idempotencyKey })).sessionKey;

  expect(await say(KEY, "1")).toBe(KEY);
  expect(await say(OTHER_CASE, "2")).toBe(KEY);
  await complete(running, THIRD_CASE);
  expect(await keysOf(running)).toEqual([KEY]);

  const { entries } = await client.call("chat.history", { sessionKey: OTHER_CASE });
  expect(entries).toHaveLength(6);
  expect(await client.call("chat.subscribe", { sessionKey: OTHER_CASE })).toMatchObject({ sessionKey: KEY, entries });
  expect(await client.call("chat.unsubscribe", { sessionKey: THIRD_CASE })).toEqual({ subscribed: true });
  expect(await client.call("sessions.resolve", { key: OTHER_CASE })).toMatchObject({ session: { key: KEY } });
  expect(await client.call("sessions.patch", { key: OTHER_CASE, label: "ours" })).toMatchObject({ session: { key: KEY, label: "ours" } });
  expect((await client.call("context.list", { sessionKey: OTHER_CASE })).requests).toHaveLength(3);
  expect(await client.call("context.report", { sessionKey: OTHER_CASE })).toMatchObject({ sessionKey: KEY });

  const gate = model.hold();
  const held = say(KEY, "3");
  // The three messages above and the held one.
  for (let count = 0; count < 4; count += 1) await model.nextRequest();
  expect(await client.call("chat.abort", { sessionKey: OTHER_CASE })).toMatchObject({ aborted: true });
  gate.open();
  await held;
  expect(await client.call("sessions.reset", { key: OTHER_CASE })).toMatchObject({ session: { key: KEY } });
  expect(await client.call("sessions.delete", { key: OTHER_CASE })).toEqual({ deleted: true });
  expect(await keysOf(running)).toEqual([]);
});

test("with two sessions that differ only in case, a key names the exact match, otherwise neither", async () => {
  await using model = await startAnthropicServer();
  model.respond(() => textReply("Yes."));
  await using running = await startTestGateway({ patch: withModel(model.baseUrl) });
  using client = await TestClient.connect(running.gateway.url, running.token);
  for (const key of [KEY, OTHER_CASE]) {
    const sessionId = `session-${key === KEY ? 1 : 2}`;
    await running.store.createSession({ key, sessionId, agentId: "main", isPrivate: false, displayName: key }, { nowMs: 1 });
  }
  for (const key of [KEY, OTHER_CASE]) expect(await client.call("sessions.resolve", { key })).toMatchObject({ session: { key } });
  await expect(client.call("sessions.resolve", { key: THIRD_CASE })).rejects.toThrow("or more than one");
  await expect(client.call("sessions.delete", { key: THIRD_CASE })).rejects.toThrow("There is no session");
  expect((await client.call("chat.history", { sessionKey: THIRD_CASE })).entries).toEqual([]);
  await complete(running, THIRD_CASE);
  expect(await keysOf(running)).toEqual([THIRD_CASE, KEY, OTHER_CASE].toSorted());
});
