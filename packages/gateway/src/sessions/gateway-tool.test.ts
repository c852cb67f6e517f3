import type { SettingsAnswer, SettingsService } from "@factotum/agent-contract";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer, JsonObject } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { listTools } from "./explain-tools.ts";

let server: AnthropicServer;
let platform: TestPlatform;
let calls: string[];
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
  calls = [];
});
afterEach(() => server[Symbol.asyncDispose]());

const answer = (name: string) => async (): Promise<SettingsAnswer> => {
  calls.push(name);
  return { type: "done", text: name === "plan" ? "gateway.port: 1 → 2" : `${name} done` };
};
const service: SettingsService = { describe: answer("describe"), read: answer("read"), plan: answer("plan"), write: answer("write") };

type Options = NonNullable<Parameters<typeof startTestGateway>[0]>;
const start = (options: Options = {}): Promise<TestGateway> =>
  startTestGateway({ platform, patch: withModel(server.baseUrl), settingsService: service, decides: () => "allow-once", ...options });
const through = (args: JsonObject): ReturnType<typeof toolReply> =>
  toolReply({ name: "tool_call", input: { name: "gateway", arguments: args } });
const WAIT = { timeout: 10_000 };
const PATCH = { action: "patch", base: "abc", patch: { gateway: { port: 2 } } };
const lastResult = (): string => JSON.stringify(((server.requests.at(-1)?.body?.["messages"] ?? []) as readonly unknown[]).at(-1));

const sentTexts = (): readonly string[] => platform.sent.flatMap(({ outbound }) => (outbound.type === "text" ? [outbound.text] : []));

async function say(running: TestGateway, extra: Parameters<TestPlatform["message"]>[1] = {}): Promise<void> {
  await platform.say(platform.message("change it", extra));
  await running.gateway.engine.idle();
}

describe("the gateway tool", () => {
  test("asks the owner about a change although commands run without asking, and shows the difference", async () => {
    await using running = await start({ asks: true });
    server.script([through(PATCH), textReply("Done.")]);
    await platform.say(platform.message("change it"));
    const [waiting] = await vi.waitUntil(async () => {
      const found = await running.gateway.engine.parts.approvals.waiting();
      return found.length > 0 && found;
    }, WAIT);
    expect(waiting).toMatchObject({ toolName: "gateway", text: "gateway.port: 1 → 2", arguments: PATCH });
    expect(calls).toEqual(["plan"]);
    await running.gateway.engine.parts.approvals.decide(waiting?.id ?? "", "allow-once");
    await vi.waitUntil(() => calls.includes("write"), WAIT);
    await running.gateway.engine.idle();
    expect(lastResult()).toContain("write done");
  });

  test("offers only to allow a change once or to deny it, and asks again about the same change", async () => {
    platform = new TestPlatform("platform", { cards: true, buttons: true });
    await using running = await start({ asks: true });
    const { approvals } = running.gateway.engine.parts;
    const cards = () => platform.sent.flatMap(({ outbound }) => (outbound.type === "card" ? [outbound.card] : []));
    for (const round of [1, 2]) {
      server.script([through(PATCH), textReply("Done.")]);
      await platform.say(platform.message("change it"));
      const card = await vi.waitUntil(() => cards()[round - 1], WAIT);
      expect(card.buttons?.map(({ actionId }) => actionId)).toEqual(["allow-once", "deny"]);
      expect(card.body).toMatch(/\/approve \w+ allow-once, or instead deny\./);
      const [waiting] = await approvals.waiting();
      const id = waiting?.id ?? "";
      await expect(approvals.decide(id, "allow-always")).rejects.toThrow("allow-once or deny");
      await platform.say(platform.message(`/approve ${id} allow-session`));
      await vi.waitUntil(() => sentTexts().some((text) => text.includes("allow-once or deny")), WAIT);
      await approvals.decide(id, "allow-once");
      await running.gateway.engine.idle();
      expect(calls.filter((name) => name === "write")).toHaveLength(round);
    }
    expect(await approvals.grants()).toEqual([]);
  });

  test("changes nothing that the owner denies, and reads without asking", async () => {
    await using running = await start({ decides: () => "deny" });
    server.script([through({ action: "get" }), through(PATCH), textReply("Done.")]);
    await say(running);
    expect(calls).toEqual(["read", "plan"]);
    expect(lastResult()).toContain("the owner denied it");
  });

  test.each([
    ["get", { action: "get" }],
    ["patch", PATCH],
    ["restart", { action: "restart" }],
  ])("refuses %s to a guest, without asking", async (_, args) => {
    const restarts = vi.fn(async () => undefined);
    await using running = await start({ accountConfig: { dmPolicy: "open", allowFrom: ["*"] }, onRestartRequest: restarts });
    server.script([through(args), textReply("Sorry.")]);
    await say(running, { sender: { id: "guest-1", name: "Gil", isBot: false } });
    expect(lastResult()).toContain("gateway was refused");
    expect(calls).toEqual([]);
    expect(restarts).not.toHaveBeenCalled();
  });

  test("restarts once, when the turn is over and its answer stored", async () => {
    const states: string[] = [];
    await using running = await start({
      onRestartRequest: async () => {
        const session = await running.store.readSession("agent:main:main");
        const { items } = await running.store.readTranscript(session?.sessionId ?? "", { limit: 100 });
        states.push(JSON.stringify(items));
      },
    });
    server.script([through({ action: "restart" }), through({ action: "restart" }), textReply("Back soon.")]);
    await say(running);
    await vi.waitUntil(() => states.length > 0, WAIT);
    expect(states).toHaveLength(1);
    expect(states[0]).toContain("Back soon.");
    expect(platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""))).toContain("Back soon.");
  });

  test("says that it was restarted once the next start is up, in the conversation that asked for it, and once", async () => {
    const requested = Promise.withResolvers<void>();
    const first = await start({ onRestartRequest: async () => requested.resolve() });
    server.script([through({ action: "restart" }), textReply("Back soon.")]);
    await platform.say(platform.message("restart, then tell me"));
    await requested.promise;
    await first.stop();
    expect(server.requests).toHaveLength(2);
    server.script([textReply("I am back.")]);
    const second = await start({ home: first.home });
    await second.gateway.engine.idle();
    expect(lastResult()).toContain("The gateway has restarted, as you asked");
    expect(sentTexts()).toEqual([expect.stringContaining("/approve"), "Back soon.", "I am back."]);
    await second.stop();
    await using third = await start({ home: first.home });
    await third.gateway.engine.idle();
    expect(server.requests).toHaveLength(3);
  });

  test("says why it was not restarted", async () => {
    await using running = await start({
      onRestartRequest: async () => {
        throw new Error("the file cannot be used");
      },
    });
    server.script([through({ action: "restart" }), textReply("Back soon."), textReply("It failed.")]);
    await say(running);
    await vi.waitUntil(() => sentTexts().includes("It failed."), WAIT);
    expect(lastResult()).toContain("The gateway was not restarted, and runs on as before: the file cannot be used");
  });

  test.each(["deny", "allow-once"] as const)(
    "asks after text of others with that reason, and follows the decision %s",
    async (decision) => {
      await using running = await start({ decides: () => decision });
      server.script([through(PATCH), textReply("Done.")]);
      await say(running, { forwarded: { from: "Mallory", body: "set the port" } });
      expect(sentTexts().find((text) => text.includes("/approve"))).toMatch(/gateway\.port: 1 → 2[^]*Rule taint/);
      expect(sentTexts().join("\n")).not.toContain("/trust");
      expect(calls).toEqual(decision === "deny" ? ["plan"] : ["plan", "plan", "write"]);
    },
  );

  test.each([PATCH, { action: "apply", base: "abc", key: "gateway.port", value: 2 }, { action: "restart" }])(
    "refuses $action in an unattended run, and reads there",
    async (args) => {
      const restarts = vi.fn(async () => undefined);
      await using running = await start({ onRestartRequest: restarts });
      server.script([through({ action: "get" }), through(args), textReply("HEARTBEAT_OK")]);
      await running.gateway.engine.submit(platform.message("Heartbeat."), {
        owner: true,
        kind: "heartbeat",
        sessionKey: "agent:main:main",
      });
      await running.gateway.engine.idle();
      expect(lastResult()).toContain("No one can be asked in this run");
      expect(calls.filter((name) => name !== "plan")).toEqual(["read"]);
      expect(restarts).not.toHaveBeenCalled();
    },
  );

  test("is refused where the conversation is read-only, and asks in the mode full", async () => {
    await using running = await start({ decides: () => "deny" });
    server.script([through(PATCH), textReply("Done."), through(PATCH), textReply("Done.")]);
    await platform.say(platform.message("/mode read-only"));
    await say(running);
    expect(lastResult()).toContain("Rule mode");
    await platform.say(platform.message("/mode full"));
    await say(running);
    expect(lastResult()).toContain("the owner denied it");
    expect(calls).toEqual(["plan"]);
  });

  test("is explained as a tool that needs a decision for the owner, and as refused for others", async () => {
    await using running = await start({ accountConfig: { dmPolicy: "open", allowFrom: ["*"] } });
    server.script([textReply("Hello.")]);
    await say(running);
    const { engine } = running.gateway;
    const state = async (sender?: string): Promise<unknown> => {
      const { tools } = await listTools(sender === undefined ? {} : { sender }, { ...engine.parts, sessions: engine.sessions });
      return tools.find(({ name }) => name === "gateway");
    };
    expect(await state()).toMatchObject({ state: "asks", reason: "Rule config: the owner decides on each change of the settings." });
    expect(await state("guest-1")).toMatchObject({ state: "refused" });
  });
});
