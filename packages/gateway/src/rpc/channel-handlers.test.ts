import { ChannelError } from "@factotum/channel-contract";
import type { LoginStep } from "@factotum/channel-contract";
import { startAnthropicServer } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";

let server: AnthropicServer;
let platform: TestPlatform;
let running: TestGateway;
let client: TestClient;

async function start(given: TestPlatform["optional"], optional = Object.keys(given) as (keyof TestPlatform["optional"])[]): Promise<void> {
  platform = new TestPlatform("platform", { optional });
  platform.optional = given;
  running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  client = await TestClient.connect(running.gateway.url, running.token);
}

beforeEach(async () => {
  server = await startAnthropicServer();
});
afterEach(async () => {
  client[Symbol.dispose]();
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

test("names the capabilities of an account, and an unknown account is not found", async () => {
  await start({});
  const { capabilities } = await client.call("channels.capabilities", { channel: "test" });
  expect(capabilities).toMatchObject({ inbound: { delivery: "redelivers" }, threads: "flat" });
  await expect(client.call("channels.capabilities", { channel: "test", accountId: "other" })).rejects.toThrow("No account test:other");
});

test("probes an account as it would start now, and reports why the platform refuses it", async () => {
  const probed = { account: { id: "bot", name: "Bot" }, missingPermissions: ["read"] };
  await start({ probe: async () => probed });
  expect(await client.call("channels.probe", { channel: "test" })).toEqual(probed);
  platform.optional = {
    probe: async () => {
      throw new ChannelError("unauthorized", "the token is revoked", { retry: { type: "never" } });
    },
  };
  await expect(client.call("channels.probe", { channel: "test" })).rejects.toThrow("unauthorized: the token is revoked");
});

test("a test message of an account that does not run is refused with the reason", async () => {
  platform = new TestPlatform();
  const off = platform.account({ enabled: false });
  const fails = new TestPlatform().account({ accountId: "broken" });
  const create = async (): Promise<never> => {
    throw new Error("there is no token");
  };
  running = await startTestGateway({
    platform,
    accounts: [off, { ...fails, accountId: "broken", create }],
    patch: withModel(server.baseUrl),
  });
  client = await TestClient.connect(running.gateway.url, running.token);
  const send = async (accountId: string): Promise<unknown> => client.call("channels.test", { channel: "test", accountId, text: "Hello" });
  await expect(send("default")).rejects.toThrow("The account test:default is not running: it is switched off");
  await expect(send("broken")).rejects.toThrow("The account test:broken is not running: it could not be started: there is no token");
});

test("a login goes step by step, takes an answer, and starts the channel again at its end", async () => {
  let created = 0;
  async function* login(): AsyncGenerator<LoginStep> {
    yield { type: "qr", content: "code-1", text: "Scan this" };
    const answered = Promise.withResolvers<string>();
    yield { type: "ask", text: "The code that was sent", isSecret: true, answer: (line) => answered.resolve(line) };
    const line = await answered.promise;
    await platform.host.state.set("login", { type: "json", json: line }, { isSecret: true });
    yield { type: "done", text: "Logged in" };
  }
  await start({ login });
  const before = platform.host;
  const first = await client.call("channels.login", { channel: "test" });
  created += platform.host === before ? 0 : 1;
  expect([first.step, created]).toEqual([{ type: "qr", content: "code-1", text: "Scan this" }, 1]);
  const { loginId } = first;
  const second = await client.call("channels.login", { channel: "test", loginId });
  expect(second.step).toEqual({ type: "ask", text: "The code that was sent", isSecret: true });
  const loggingIn = platform.host;
  const third = await client.call("channels.login", { channel: "test", loginId, answer: "1234" });
  expect(third.step).toEqual({ type: "done", text: "Logged in" });
  expect(await platform.host.state.get("login")).toEqual({ type: "json", json: "1234" });
  expect(platform.host).not.toBe(loggingIn);
  await expect(client.call("channels.login", { channel: "test", loginId })).rejects.toThrow("has ended");
});

test("a login that the platform refuses ends with the reason", async () => {
  await start({
    // eslint-disable-next-line require-yield -- the refusal comes before the first step
    async *login() {
      throw new ChannelError("forbidden", "the number is blocked", { retry: { type: "never" } });
    },
  });
  await expect(client.call("channels.login", { channel: "test" })).rejects.toThrow("the number is blocked");
});

test("a login is cancelled by its id, once", async () => {
  const ended = Promise.withResolvers<void>();
  await start({
    async *login({ signal }) {
      signal.addEventListener("abort", () => ended.resolve());
      yield { type: "text", text: "Confirm it" };
      await ended.promise;
    },
  });
  const { loginId } = await client.call("channels.login", { channel: "test" });
  expect(await client.call("channels.cancelLogin", { loginId })).toEqual({ cancelled: true });
  await ended.promise;
  expect(await client.call("channels.cancelLogin", { loginId })).toEqual({ cancelled: false });
  await expect(client.call("channels.login", { channel: "test", loginId })).rejects.toThrow("has ended");
});
