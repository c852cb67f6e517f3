import { expect, test } from "vitest";
import { startTestGateway, withModel } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";

const KEY = "agent:main:acp:one";

test("a client sees and chooses mode, model and thinking of a session, and its commands", async () => {
  await using running = await startTestGateway({ patch: withModel("http://127.0.0.1:1") });
  using client = await TestClient.connect(running.gateway.url, running.token);
  const before = await client.call("sessions.settings", { key: KEY });
  expect(before).toMatchObject({ mode: "ask", model: expect.stringContaining("/"), contextWindow: expect.any(Number) });
  expect(before.modes.map(({ id }) => id)).toEqual(["read-only", "ask", "workspace", "full"]);
  expect(before.models.map(({ reference }) => reference)).toContain(before.model);
  expect(before.commands.map(({ name }) => name)).toEqual(expect.arrayContaining(["new", "status", "mode"]));
  await expect(client.call("sessions.choose", { key: KEY, mode: "full" })).rejects.toThrow("There is no session");
  await client.call("sessions.create", { key: KEY });
  const [level = "off"] = before.thinkingLevels;
  expect(await client.call("sessions.choose", { key: KEY, mode: "read-only", thinking: level, model: before.model ?? "" })).toMatchObject({
    mode: "read-only",
    thinking: level,
    model: before.model,
  });
  const chosen = await running.store.readSession(KEY);
  expect(chosen?.overrides).toEqual({ mode: "read-only", thinking: level, model: before.model });
  await client.call("sessions.choose", { key: KEY, mode: "ask", thinking: null, model: null });
  expect((await running.store.readSession(KEY))?.overrides).toEqual({});
});

test.each([
  [{ model: "nowhere/none" }, "nowhere"],
  [{ mode: "reckless" }, "mode"],
  [{ thinking: "a lot" }, "thinking"],
])("%j is refused and changes nothing", async (choice, message) => {
  await using running = await startTestGateway({ patch: withModel("http://127.0.0.1:1") });
  using client = await TestClient.connect(running.gateway.url, running.token);
  await client.call("sessions.create", { key: KEY });
  // @ts-expect-error a client may send anything
  await expect(client.call("sessions.choose", { key: KEY, ...choice })).rejects.toThrow(message);
  expect((await running.store.readSession(KEY))?.overrides).toEqual({});
});
