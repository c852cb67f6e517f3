import type { Clock } from "@factotum/agent-contract";
import type { Channel } from "@factotum/channel-contract";
import type { AccountConfig, FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import { realClock, startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import type { ChannelAccount } from "../index.ts";

/** A channel that records its lifecycle. */
class WatchedAccount {
  readonly happened: string[] = [];
  readonly platform: TestPlatform;
  readonly #accountId: string;

  constructor(accountId: string, inbound?: Channel["capabilities"]["inbound"]) {
    this.#accountId = accountId;
    this.platform = new TestPlatform("platform", inbound === undefined ? {} : { inbound });
  }

  account(config: Partial<AccountConfig> = {}): ChannelAccount {
    const account = this.platform.account({ accountId: this.#accountId, ...config });
    return {
      ...account,
      accountId: this.#accountId,
      create: async (host) => {
        const channel = await account.create(host);
        const name = JSON.stringify(config.settings ?? {});
        this.happened.push(`make ${name}`);
        const watched: Channel = {
          ...channel,
          capabilities: channel.capabilities,
          start: async () => void this.happened.push(`start ${name}`),
          stop: async () => void this.happened.push(`stop ${name}`),
        };
        return watched;
      },
    };
  }
}

async function reload(
  running: TestGateway,
  change: { readonly config?: (config: FactotumConfig) => FactotumConfig; readonly accounts?: readonly ChannelAccount[] },
): Promise<void> {
  const { config } = running.gateway.engine.parts.running;
  const settings = running.settings(change.config?.(config) ?? config);
  await running.gateway.reload({ ...settings, ...(change.accounts === undefined ? {} : { accounts: () => change.accounts ?? [] }) });
}

/** The same agents with another model. */
const withOtherModel =
  (model: string) =>
  (config: FactotumConfig): FactotumConfig => ({
    ...config,
    agents: config.agents.map((agent) => ({ ...agent, model: { primary: `anthropic/${model}`, fallbacks: [] } })),
  });

describe("a new configuration", () => {
  test("applies from the next turn on: the active one ends with its own model, prompt and tools", async () => {
    await using server = await startAnthropicServer();
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    server.script([toolReply({ name: "ls", input: { path: "." } }), textReply("The first."), textReply("The second.")]);
    const gate = server.hold();
    await platform.say(platform.message("one"));
    await server.nextRequest();
    await reload(running, {
      config: (config) => {
        const other = withOtherModel("claude-opus-4-6")(config);
        return { ...other, agents: other.agents.map((agent) => ({ ...agent, systemPrompt: "You are somebody else." })) };
      },
    });
    gate.open();
    await platform.waitForSends(1);
    await platform.say(platform.message("two"));
    await platform.waitForSends(2);
    const requests = server.requests.map(({ body }) => ({ model: body?.["model"], system: JSON.stringify(body?.["system"]) }));
    expect(requests.map(({ model }) => model)).toEqual(["claude-sonnet-5-5", "claude-sonnet-5-5", "claude-opus-4-6"]);
    expect(requests.map(({ system }) => system.includes("somebody else"))).toEqual([false, false, true]);
    expect(requests[1]?.system).toBe(requests[0]?.system);
    expect(platform.sent.map(({ outbound }) => outbound)).toMatchObject([{ text: "The first." }, { text: "The second." }]);
  });

  test("that does not change an agent leaves its prompt byte-identical", async () => {
    await using server = await startAnthropicServer();
    server.respond(() => textReply("Yes."));
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    await platform.say(platform.message("one"));
    await platform.waitForSends(1);
    await reload(running, {
      config: (config) => ({ ...config, messages: { ...config.messages, inbound: { ...config.messages.inbound, debounceMs: 5 } } }),
    });
    await platform.say(platform.message("two"));
    await platform.waitForSends(2);
    const [first, second] = server.requests.map(({ body }) => JSON.stringify([body?.["system"], body?.["tools"]]));
    expect(second).toBe(first);
  });

  test("restarts a channel that receives webhooks when their address changes, and no other", async () => {
    const hook = new WatchedAccount("default");
    const polled = new WatchedAccount("polled", { delivery: "redelivers", transport: "polling" });
    const accounts = [hook.account(), polled.account()];
    await using running = await startTestGateway({ accounts });
    const addresses = async () => (await running.gateway.status()).channels.map((one) => one.webhookUrl);
    expect(await addresses()).toEqual([undefined, undefined]);
    running.gateway.engine.connect();
    await running.gateway.engine.idle();
    expect(await addresses()).toEqual([`${running.gateway.url}/channels/test/default`, undefined]);
    await reload(running, {
      accounts,
      config: (config) => ({ ...config, gateway: { ...config.gateway, publicUrl: "https://home.example" } }),
    });
    await running.gateway.engine.idle();
    expect(hook.happened).toEqual(["make {}", "start {}", "stop {}", "make {}", "start {}"]);
    expect(hook.platform.host.webhookUrl).toBe("https://home.example/channels/test/default");
    expect(await addresses()).toEqual(["https://home.example/channels/test/default", undefined]);
    expect(polled.happened).toEqual(["make {}", "start {}"]);
  });

  test("applies admission, bindings, commands and caps at once, without restarting a channel", async () => {
    await using server = await startAnthropicServer();
    server.respond(() => textReply("Hello."));
    const watched = new WatchedAccount("default");
    const accounts = [watched.account({ dmPolicy: "disabled" })];
    await using running = await startTestGateway({ accounts, patch: withModel(server.baseUrl) });
    await running.gateway.engine.idle();
    const stranger = { id: "ada", isBot: false };
    await watched.platform.say(watched.platform.message("let me in", { sender: stranger }));
    await running.gateway.engine.idle();
    expect(server.requests).toHaveLength(0);
    await reload(running, {
      accounts: [watched.account({ dmPolicy: "allowlist", allowFrom: ["ada"] })],
      config: (config) => ({
        ...config,
        maxConcurrent: 1,
        agents: [
          ...config.agents,
          ...config.agents.map((agent) => ({ ...agent, id: "second", isDefault: false, systemPrompt: "You are the second." })),
        ],
        bindings: [{ agentId: "second", match: { channel: "test" } }] as unknown as FactotumConfig["bindings"],
      }),
    });
    await watched.platform.say(watched.platform.message("and now?", { sender: stranger }));
    await watched.platform.waitForSends(1);
    expect(JSON.stringify(server.requests[0]?.body)).toContain("You are the second.");
    expect(watched.happened).toEqual(["make {}", "start {}"]);
  });

  test("is ready before its channels start", async () => {
    const account = new WatchedAccount("default");
    const timers: (() => void)[] = [];
    const clock: Clock = {
      ...realClock,
      schedule: (delayMs, callback) => {
        if (delayMs > 100) return realClock.schedule(delayMs, callback);
        timers.push(callback);
        return { [Symbol.dispose]: () => undefined };
      },
    };
    await using running = await startTestGateway({ accounts: [account.account()], clock });
    expect((await fetch(`${running.gateway.url}/readyz`)).status).toBe(200);
    expect(account.happened).toEqual(["make {}"]);
    for (const timer of timers) timer();
    await running.gateway.engine.connected;
    expect(account.happened).toEqual(["make {}", "start {}"]);
  });

  test("starts, stops and restarts exactly the accounts whose settings changed; a channel stops before its successor starts", async () => {
    const [same, changed, gone, added] = ["same", "changed", "gone", "added"].map((id) => new WatchedAccount(id));
    if (same === undefined || changed === undefined || gone === undefined || added === undefined) throw new Error("four were made");
    await using running = await startTestGateway({
      accounts: [same.account(), changed.account({ settings: { key: 1 } }), gone.account()],
    });
    const states = async (): Promise<Record<string, string>> =>
      Object.fromEntries((await running.gateway.status()).channels.map(({ accountId, state }) => [accountId, state]));
    running.gateway.engine.connect();
    await running.gateway.engine.idle();
    await reload(running, { accounts: [same.account(), changed.account({ settings: { key: 2 } }), added.account()] });
    await running.gateway.engine.idle();
    expect(same.happened).toEqual(["make {}", "start {}"]);
    expect(changed.happened).toEqual(['make {"key":1}', 'start {"key":1}', 'stop {"key":1}', 'make {"key":2}', 'start {"key":2}']);
    expect(gone.happened).toEqual(["make {}", "start {}", "stop {}"]);
    expect(added.happened).toEqual(["make {}", "start {}"]);
    expect(await states()).toEqual({ same: "connected", changed: "connected", added: "connected" });
    await reload(running, { accounts: [same.account({ enabled: false }), added.account(), gone.account()] });
    await running.gateway.engine.idle();
    expect(await states()).toEqual({ same: "disabled", added: "connected", gone: "connected" });
    expect(same.happened.at(-1)).toBe("stop {}");
    expect(gone.happened.slice(3)).toEqual(["make {}", "start {}"]);
  });

  test("that removes an account keeps its unsent messages", async () => {
    await using server = await startAnthropicServer();
    server.respond(() => textReply("Too late for you."));
    const gone = new WatchedAccount("default");
    await using running = await startTestGateway({ accounts: [gone.account()], patch: withModel(server.baseUrl) });
    const gate = server.hold();
    await gone.platform.say(gone.platform.message("one"));
    await server.nextRequest();
    await reload(running, { accounts: [] });
    gate.open();
    await expect.poll(async () => (await running.gateway.status()).outbox).toMatchObject({ waiting: 1, deadLettered: 0, ambiguous: 0 });
    expect((await running.store.listPendingOutbound({ limit: 9 })).map(({ outbound }) => outbound)).toMatchObject([
      { text: "Too late for you." },
    ]);
    await reload(running, { accounts: [gone.account()] });
    await gone.platform.waitForSends(1);
  });

  test("that cannot be applied changes nothing", async () => {
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform });
    const { parts } = running.gateway.engine;
    const before = [parts.running.config, parts.running.agents, parts.running.models];
    const settings = running.settings(withOtherModel("other")(parts.running.config));
    const fails = (): never => {
      throw new Error("an extension is broken");
    };
    await expect(running.gateway.reload({ ...settings, accounts: fails })).rejects.toThrow("an extension is broken");
    expect([parts.running.config, parts.running.agents, parts.running.models]).toEqual(before);
  });

  test(
    "a thousand reloads under load: nothing is lost, nothing is answered twice, no channel is recreated",
    { timeout: 120_000 },
    async () => {
      await using server = await startAnthropicServer();
      server.respond(({ body }) =>
        textReply(
          `answer ${/number (\d+)\./.exec(JSON.stringify((body?.["messages"] as readonly unknown[] | undefined)?.at(-1)))?.[1] ?? "?"}`,
        ),
      );
      const watched = new WatchedAccount("default");
      await using running = await startTestGateway({
        accounts: [watched.account()],
        patch: (config) => ({
          ...withModel(server.baseUrl)(config),
          messages: { ...config.messages, queue: { ...config.messages.queue, mode: "followup", cap: 100 } },
        }),
      });
      const messages = Array.from({ length: 60 }, (_, index) =>
        watched.platform.message(`number ${index}.`, {
          origin: { channel: "test", accountId: "default", conversation: { kind: "direct", id: `dm-${index % 6}` } },
        }),
      );
      let reloads = 0;
      for (const message of messages) {
        await watched.platform.say(message);
        for (let times = 0; times < 17; times += 1) {
          reloads += 1;
          await reload(running, {
            config: withOtherModel(reloads % 2 === 0 ? "claude-sonnet-5-5" : "claude-opus-4-6"),
            accounts: [watched.account()],
          });
        }
      }
      await running.gateway.engine.idle();
      expect(reloads).toBeGreaterThan(1000);
      const said = watched.platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text.split("\n")[0] : ""));
      expect(said).toHaveLength(messages.length);
      expect(new Set(said)).toEqual(new Set(messages.map((_, index) => `answer ${index}`)));
      expect(watched.happened).toEqual(["make {}", "start {}"]);
      for (const state of ["waiting", "claimed"] as const) expect((await running.store.listInputs({ state, limit: 1 })).items).toEqual([]);
    },
  );
});
