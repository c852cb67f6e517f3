import type { LoginStep } from "@factotum/channel-contract";
import { startAnthropicServer } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import type { ChannelAccount } from "./channel-account.ts";
import type { ChannelInspector } from "./channel-inspector.ts";

const ON = { channel: "test", accountId: "default" };
const OFF = { channel: "test", accountId: "off" };

let server: AnthropicServer;
let running: TestGateway;
let inspector: ChannelInspector;
let created: number;
let stopped: number;

beforeEach(async () => {
  server = await startAnthropicServer();
  [created, stopped] = [0, 0];
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** Two accounts of one channel, of which `off` does not run. */
async function start(optional: TestPlatform["optional"]): Promise<void> {
  const platform = new TestPlatform("platform", { optional: Object.keys(optional) as (keyof TestPlatform["optional"])[] });
  platform.optional = optional;
  const account = platform.account();
  const off = {
    ...account,
    ...OFF,
    config: { ...account.config, ...OFF, enabled: false },
    create: async () => {
      created += 1;
      const { channel } = platform;
      const stop = async (): Promise<void> => {
        stopped += 1;
      };
      return { ...channel, ...optional, stop };
    },
  };
  running = await startTestGateway({ platform, patch: withModel(server.baseUrl), accounts: [off] });
  inspector = running.gateway.engine.channelInspector;
}

async function* steps(): AsyncGenerator<LoginStep> {
  for (const text of ["one", "two", "three"]) yield { type: "text", text };
}

test("two calls of one login at the same time get one step each", async () => {
  await start({ login: steps });
  const { loginId, step } = await inspector.login(OFF, {});
  const both = await Promise.all([inspector.login(OFF, { loginId }), inspector.login(OFF, { loginId })]);
  expect([step, ...both.map((one) => one.step)]).toEqual(["one", "two", "three"].map((text) => ({ type: "text", text })));
});

test("a login that is done after the close restarts no channel", async () => {
  const confirmed = Promise.withResolvers<undefined>();
  let starts = 0;
  await start({
    async *login() {
      yield { type: "text", text: "Confirm it" };
      await confirmed.promise;
      yield { type: "done", text: "Logged in" };
    },
  });
  const { channels } = running.gateway.engine.parts;
  const restart = channels.restart.bind(channels);
  channels.restart = async (account) => {
    starts += 1;
    return restart(account);
  };
  const { loginId } = await inspector.login(ON, {});
  const last = inspector.login(ON, { loginId });
  inspector.close();
  confirmed.resolve(undefined);
  await expect(last).rejects.toThrow("has ended");
  expect(starts).toBe(0);
  await expect(inspector.login(OFF, {})).rejects.toThrow("has ended");
});

test("a cancelled login ends its steps in the channel at once, and makes room for another", async () => {
  const aborted = Promise.withResolvers<boolean>();
  await start({
    async *login({ signal }) {
      signal.addEventListener("abort", () => aborted.resolve(true));
      yield { type: "text", text: "Confirm it" };
      // A platform that does not listen to the signal.
      await new Promise<never>(() => undefined);
    },
  });
  const { loginId } = await inspector.login(OFF, {});
  const waiting = inspector.login(OFF, { loginId });
  expect(inspector.cancelLogin(loginId)).toBe(true);
  await expect(waiting).rejects.toThrow("has ended");
  expect(await aborted.promise).toBe(true);
  expect(stopped).toBe(1);
  expect(inspector.cancelLogin(loginId)).toBe(false);
  await expect(inspector.login(OFF, { loginId })).rejects.toThrow("has ended");
});

test("ten logins are open at most, also if they begin together", async () => {
  await start({ login: steps });
  const results = await Promise.allSettled(Array.from({ length: 15 }, async () => inspector.login(OFF, {})));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
  expect(created).toBe(10);
  inspector.close();
  expect(stopped).toBe(10);
});

test("an instance that a probe creates is stopped, also if it has no probe", async () => {
  await start({ probe: async () => ({ account: { id: "bot" }, missingPermissions: [] }) });
  await inspector.probe(OFF);
  expect([created, stopped]).toEqual([1, 1]);
  await inspector.capabilities(OFF);
  await expect(inspector.login(OFF, {})).rejects.toThrow("has no login");
  expect([created, stopped]).toEqual([3, 3]);
});

test("a probe says that the running instance has a secret from before, and the status too", async () => {
  let digest = "one";
  const platform = new TestPlatform("platform", { optional: ["probe"] });
  platform.optional = { probe: async () => ({ account: { id: "bot" }, missingPermissions: [] }) };
  const account = { ...platform.account(), secretsDigest: async () => digest };
  running = await startTestGateway({ accounts: [account], patch: withModel(server.baseUrl) });
  inspector = running.gateway.engine.channelInspector;
  expect(await inspector.probe(ON)).not.toHaveProperty("problems");
  expect((await running.gateway.status()).channels[0]).not.toHaveProperty("hasOldSecret");
  digest = "two";
  expect(await inspector.probe(ON)).toMatchObject({ problems: [expect.stringContaining("factotum gateway restart")] });
  expect((await running.gateway.status()).channels[0]).toMatchObject({ hasOldSecret: true });
  await running.gateway.engine.parts.channels.restart(ON);
  expect((await running.gateway.status()).channels[0]).not.toHaveProperty("hasOldSecret");
});

test("an account whose secret was replaced starts again when its configuration is applied, and the others do not", async () => {
  const made: string[] = [];
  let digest = "one";
  const accounts = ["changed", "other"].map((accountId): ChannelAccount => {
    const account = { ...new TestPlatform().account({ accountId }), accountId };
    return {
      ...account,
      create: async (host) => {
        made.push(accountId);
        return account.create(host);
      },
      secretsDigest: async () => (accountId === "changed" ? digest : "one"),
    };
  });
  running = await startTestGateway({ accounts, patch: withModel(server.baseUrl) });
  const { channels } = running.gateway.engine.parts;
  digest = "two";
  await channels.apply(accounts);
  await channels.apply(accounts);
  expect(made.toSorted()).toEqual(["changed", "changed", "other"]);
  expect((await running.gateway.status()).channels.map(({ state, hasOldSecret }) => [state, hasOldSecret])).toEqual([
    ["connected", undefined],
    ["connected", undefined],
  ]);
});

test("no account is restarted once the channels stop", async () => {
  await start({ login: steps });
  const { channels } = running.gateway.engine.parts;
  await channels.stop();
  await channels.restart(ON);
  expect(channels.isStarted(ON)).toBe(false);
});
