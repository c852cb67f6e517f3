import type { MsgContext } from "@factotum/channel-contract";
import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { endsAsKilled, realClock, startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";

const HOUR_MS = 3_600_000;

async function startModel(): Promise<AnthropicServer> {
  const server = await startAnthropicServer();
  server.respond(() => textReply("Yes."));
  return server;
}

const sent = (platform: TestPlatform): readonly string[] =>
  platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : outbound.type));

const old = (platform: TestPlatform, text: string, extra: Partial<MsgContext> = {}): MsgContext =>
  platform.message(text, { timestampMs: Date.now() - 25 * HOUR_MS, ...extra });

const withMaxAge =
  (hours: number, patch: (config: FactotumConfig) => FactotumConfig) =>
  (config: FactotumConfig): FactotumConfig => {
    const patched = patch(config);
    return { ...patched, messages: { ...patched.messages, inbound: { ...patched.messages.inbound, maxAgeHours: hours } } };
  };

test("messages that arrive a day late become dead letters, their conversation is notified once, and a replay is answered", async () => {
  await using server = await startModel();
  const platform = new TestPlatform();
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  using client = await TestClient.connect(running.gateway.url, running.token);
  await platform.say(platform.message("today"));
  await platform.waitForSends(1);
  const late = ["one", "two", "/new", "three"].map((text) => old(platform, text));
  for (const message of late) expect(await platform.say(message)).toBe("accepted");
  await running.gateway.engine.idle();
  expect(sent(platform)).toEqual(["Yes.", expect.stringContaining("more than 24 hours late")]);
  expect(await platform.say(late[0] ?? old(platform, "none"))).toBe("duplicate");
  const { letters } = await client.call("deadletters.list", { type: "input" });
  expect(letters.map(({ text, reason, replay }) => [text, reason, replay])).toEqual(
    ["three", "/new", "two", "one"].map((text) => [text, "too-old", "safe"]),
  );
  const { entries } = await client.call("chat.history", { sessionKey: "agent:main:main" });
  expect(entries.map(({ type }) => type)).toEqual(["user", "assistant", "notice"]);

  await client.call("deadletters.replay", { id: letters[3]?.id ?? "" });
  await platform.waitForSends(3);
  expect(sent(platform).at(-1)).toBe("Yes.");
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("one");
  expect((await client.call("deadletters.list", { type: "input" })).letters).toHaveLength(3);
  await running.gateway.engine.idle();
  expect(platform.sent).toHaveLength(3);
});

test("each conversation is notified, and no sender who is not admitted", async () => {
  await using server = await startModel();
  const platform = new TestPlatform();
  await using running = await startTestGateway({ platform, accountConfig: { dmPolicy: "allowlist" }, patch: withModel(server.baseUrl) });
  const origin = { channel: "test", accountId: "default", conversation: { kind: "direct" as const, id: "dm-2" } };
  await platform.say(old(platform, "one"));
  await platform.say(old(platform, "two", { origin }));
  await platform.say(
    old(platform, "three", { origin: { ...origin, conversation: { kind: "direct", id: "dm-3" } }, sender: { id: "x", isBot: false } }),
  );
  await running.gateway.engine.idle();
  expect(platform.sent.map(({ target }) => target.conversation.id)).toEqual(["dm-1", "dm-2"]);
  const { items } = await running.store.listDeadLetters({ limit: 9 });
  expect(items).toHaveLength(2);
});

test("a replay that was interrupted by a kill is answered after the restart", async () => {
  await using server = await startModel();
  const platform = new TestPlatform();
  const patch = withModel(server.baseUrl);
  const first = await startTestGateway({ platform, patch });
  await platform.say(old(platform, "one"));
  await first.gateway.engine.idle();
  const { items } = await first.store.listDeadLetters({ limit: 9 });
  // The state after a kill that follows the commit of a replay.
  await first.store.reviveInput(items[0]?.id ?? "");
  await first.stop();
  await using second = await startTestGateway({ platform, home: first.home, patch });
  await second.gateway.engine.idle();
  expect(sent(platform).at(-1)).toBe("Yes.");
  expect((await second.store.listDeadLetters({ limit: 9 })).items).toEqual([]);
});

test("a message that waited in the inbox during a long downtime is answered", async () => {
  await using server = await startModel();
  const platform = new TestPlatform();
  const patch = withModel(server.baseUrl);
  const gate = server.hold();
  const first = await startTestGateway({ platform, patch, around: endsAsKilled });
  await platform.say(platform.message("one"));
  await server.nextRequest();
  await platform.say(platform.message("two", { timestampMs: Date.now() - 23 * HOUR_MS }));
  await first.stop();
  gate.open();
  const twoDays = 48 * HOUR_MS;
  const clock = { ...realClock, now: () => Date.now() + twoDays };
  await using second = await startTestGateway({ platform, home: first.home, patch, clock });
  await second.gateway.engine.idle();
  expect(sent(platform)).toEqual(["Yes.", "Yes."]);
  expect((await second.store.listDeadLetters({ limit: 9 })).items).toEqual([]);
});

test("the limit follows the running configuration, and 0 means no limit", async () => {
  await using server = await startModel();
  const platform = new TestPlatform();
  const patch = withModel(server.baseUrl);
  await using running = await startTestGateway({ platform, patch: withMaxAge(0, patch) });
  await platform.say(old(platform, "one", { timestampMs: Date.now() - 1000 * HOUR_MS }));
  await platform.waitForSends(1);
  const { config } = running.gateway.engine.parts.running;
  await running.gateway.reload({ ...running.settings(withMaxAge(1, (same) => same)(config)), token: running.token });
  await platform.say(old(platform, "two", { timestampMs: Date.now() - 2 * HOUR_MS }));
  await running.gateway.engine.idle();
  expect(sent(platform)).toEqual(["Yes.", expect.stringContaining("more than 1 hour late")]);
});
