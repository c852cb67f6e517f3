import type { SendReceipt } from "@factotum/channel-contract";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import { NO_SERVICES } from "../../test/no-services.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";
import { RpcError } from "../kernel/rpc-error.ts";

const WRONG_TOKEN: SendReceipt = { type: "rejected", code: "unauthorized", retry: { type: "never" }, message: "the token was revoked" };
const SLOW_DOWN: SendReceipt = {
  type: "rejected",
  code: "rate-limited",
  retry: { type: "after", delayMs: 3_600_000 },
  message: "slow down",
};
const ACCOUNT = { channel: "test", accountId: "default" };

let server: AnthropicServer;
let old: TestPlatform;
let running: TestGateway;
let client: TestClient;
/** What writing the file leads to. */
let write: () => Promise<void>;
beforeEach(async () => {
  server = await startAnthropicServer();
  server.respond(() => textReply("For the old one."));
  old = new TestPlatform();
  write = async () => apply();
  const removed = { key: "channels.test", credentials: [], admitting: [], owners: [] };
  const channelService = { ...NO_SERVICES.channels, remove: async () => write().then(() => removed) };
  running = await startTestGateway({ platform: old, patch: withModel(server.baseUrl), channelService });
  client = await TestClient.connect(running.gateway.url, running.token);
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** The accounts of another configuration. */
const apply = async (...platforms: readonly TestPlatform[]): Promise<void> =>
  running.gateway.engine.parts.channels.apply(platforms.map((platform) => platform.account()));
const remove = async (): Promise<number> => (await client.call("channels.remove", ACCOUNT)).discarded;
const textsOf = ({ sent }: TestPlatform): readonly string[] => sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));

test.each([
  ["a refused account", WRONG_TOKEN],
  ["a throttled conversation", SLOW_DOWN],
])("what waits for %s that is removed is a dead letter, and the next account of its name does not send it", async (_name, receipt) => {
  old.answer = () => receipt;
  for (const text of ["one", "two"]) await old.say(old.message(text));
  await expect.poll(async () => (await running.gateway.status()).outbox.waiting).toBe(2);
  write = async () => Promise.reject(new RpcError("unavailable", "The file is read-only."));
  await expect(remove()).rejects.toThrow("The file is read-only.");
  expect((await running.gateway.status()).outbox.waiting).toBe(2);
  write = async () => apply();
  expect(await remove()).toBe(2);
  const next = new TestPlatform();
  await apply(next);
  await running.gateway.engine.idle();
  expect(textsOf(next)).toEqual([]);
  expect((await running.gateway.status()).outbox).toMatchObject({ waiting: 0, deadLettered: 2 });
  const { letters } = (await client.call("deadletters.list", {})) as { readonly letters: readonly { id: string; reason: string }[] };
  expect(letters.map(({ reason }) => reason)).toEqual(["its account was removed", "its account was removed"]);
  // The same account again.
  await client.call("deadletters.replay", { id: letters[0]?.id ?? "" });
  await next.waitForSends(1);
});

test("an answer that comes after the removal is a dead letter, too", async () => {
  const asked = Promise.withResolvers<undefined>();
  const answered = Promise.withResolvers<undefined>();
  server.respond(async () => {
    asked.resolve(undefined);
    await answered.promise;
    return textReply("Late.");
  });
  await old.say(old.message("one"));
  await asked.promise;
  expect(await remove()).toBe(0);
  answered.resolve(undefined);
  await expect.poll(async () => (await running.gateway.status()).outbox).toMatchObject({ waiting: 0, deadLettered: 1 });
  const next = new TestPlatform();
  await apply(next);
  await running.gateway.engine.idle();
  expect(textsOf(next)).toEqual([]);
});

test("an account that disappears and comes back, such as by an edit of the file, keeps what waits", async () => {
  old.answer = () => WRONG_TOKEN;
  await old.say(old.message("one"));
  await expect.poll(async () => (await running.gateway.status()).outbox.waiting).toBe(1);
  await apply();
  const again = new TestPlatform();
  await apply(again);
  await again.waitForSends(1);
  expect(textsOf(again)).toEqual(["For the old one."]);
});
