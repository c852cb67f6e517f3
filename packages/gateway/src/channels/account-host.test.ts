import { withoutUndefined } from "@factotum/agent-contract";
import { messageId, type ChannelHost } from "@factotum/channel-contract";
import { startAnthropicServer } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

let server: AnthropicServer;
let platform: TestPlatform;
let running: TestGateway;
let second: ChannelHost | undefined;

beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
  await start();
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** Two accounts of one channel. */
async function start(home?: string): Promise<void> {
  const account = platform.account();
  running = await startTestGateway({
    platform,
    patch: withModel(server.baseUrl),
    ...withoutUndefined({ home }),
    accounts: [
      {
        ...account,
        accountId: "second",
        config: { ...account.config, accountId: "second" },
        create: async (host) => {
          second = host;
          return platform.channel;
        },
      },
    ],
  });
}

const one = { type: "json", json: { sequence: 1 } } as const;

test("the state of an account survives a restart, and no other account sees it", async () => {
  await platform.host.commit({ cursor: "7", state: [{ type: "set", key: "resume/a", value: one }] });
  await platform.host.state.set("login", { type: "bytes", bytes: new Uint8Array([1, 2]) }, { isSecret: true });
  await platform.host.state.set("resume/b", one, { expiresAtMs: Date.now() - 1 });
  await platform.host.state.set("gone", one);
  await platform.host.state.delete("gone");
  await running.stop();
  await start(running.home);
  expect(await platform.host.cursor()).toBe("7");
  expect(await platform.host.state.list("resume/")).toEqual([{ key: "resume/a", value: one }]);
  expect(await platform.host.state.get("login")).toEqual({ type: "bytes", bytes: new Uint8Array([1, 2]) });
  expect(await platform.host.state.get("gone")).toBeUndefined();
  expect(await second?.cursor()).toBeUndefined();
  expect(await second?.state.list("")).toEqual([]);
});

test("progress is committed together with its message", async () => {
  const message = platform.message("hello");
  expect(await platform.host.receive(message, { cursor: "8", state: [{ type: "set", key: "session", value: one }] })).toBe("accepted");
  expect(await platform.host.receive(message, { cursor: "9" })).toBe("duplicate");
  expect(await platform.host.cursor()).toBe("9");
  expect(await platform.host.state.get("session")).toEqual(one);
});

test("a message over a limit is rejected with a RangeError and not stored", async () => {
  const tooLong = { type: "set", key: "k".repeat(513), value: one } as const;
  const message = platform.message("hello");
  await expect(platform.host.receive(message, { cursor: "8", state: [tooLong] })).rejects.toThrow(RangeError);
  await expect(platform.host.commit({ cursor: "8", state: [tooLong] })).rejects.toThrow(RangeError);
  expect(await platform.host.cursor()).toBeUndefined();
  expect(await platform.host.receive(message)).toBe("accepted");
});

test.each(["\u0000", "a\u0000b", "\ud800"])(
  "a message with the id %j is rejected with a RangeError and not stored, a similar one is",
  async (id) => {
    const message = platform.message("hello");
    const { origin, sender } = message;
    const others = { ...message, eventId: "other", messageId: messageId("other") };
    for (const wrong of [
      { ...message, eventId: id },
      { ...message, messageId: messageId(id) },
      { ...others, sender: { ...sender, id } },
      { ...others, origin: { ...origin, conversation: { ...origin.conversation, threadId: id } } },
      { ...others, origin: { ...origin, conversation: { ...origin.conversation, id } } },
    ])
      await expect(platform.host.receive(wrong, { cursor: "8" })).rejects.toThrow(/^The id of a message's \w+ holds a character/);
    expect(await platform.host.cursor()).toBeUndefined();
    const conversation = { ...origin.conversation, id: "\u2400:%\n\u{1f600}" };
    expect(await platform.host.receive({ ...others, origin: { ...origin, conversation } })).toBe("accepted");
  },
);

test("a channel whose health throws is shown as degraded, and the status of the others stays", async () => {
  await running[Symbol.asyncDispose]();
  const account = platform.account();
  const health = (): never => {
    throw new Error("no health today");
  };
  running = await startTestGateway({
    patch: withModel(server.baseUrl),
    accounts: [account, { ...account, accountId: "odd", create: async () => ({ ...platform.channel, health }) }],
  });
  const { channels } = await running.gateway.status();
  expect(channels.find(({ accountId }) => accountId === "odd")).toMatchObject({
    state: "degraded",
    detail: "its health cannot be read: no health today",
  });
  expect(channels.find(({ accountId }) => accountId === "default")).toMatchObject({ state: "connected" });
});
