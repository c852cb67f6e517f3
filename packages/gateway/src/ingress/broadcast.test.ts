import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { messageId } from "@factotum/channel-contract";
import type { MessageId, MsgContext, Outbound, SendReceipt } from "@factotum/channel-contract";
import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicReply, AnthropicServer, RecordedRequest } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const GROUP: MsgContext["origin"] = { channel: "test", accountId: "default", conversation: { kind: "group", id: "g1" } };
const ADA = "agent:ada:test:group:g1";
const BOB = "agent:bob:test:group:g1";

let server: AnthropicServer;
let platform: TestPlatform;
let running: TestGateway;
/** What each agent answers; a function waits for its promise. */
let answers: Record<"ada" | "bob" | "main", () => AnthropicReply | Promise<AnthropicReply>>;

beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
  answers = { ada: () => textReply("Ada's answer."), bob: () => textReply("Bob's answer."), main: () => textReply("Main's answer.") };
  server.respond((request) => answers[agentOf(request)]());
});
afterEach(async () => {
  expect(server.violations).toEqual([]);
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const agentOf = ({ body }: RecordedRequest): "ada" | "bob" | "main" => {
  const system = JSON.stringify(body?.["system"]);
  return system.includes("You are Ada.") ? "ada" : system.includes("You are Bob.") ? "bob" : "main";
};
const asked = (): readonly string[] => server.requests.map(agentOf);
const textOf = (outbound: Outbound): string => (outbound.type === "text" ? outbound.text : outbound.type);
const sent = (): readonly string[] => platform.sent.map(({ outbound }) => textOf(outbound));
const ADA_SAYS = "**Ada**\n\nAda's answer.";
const BOB_SAYS = "**Bob**\n\nBob's answer.";

interface Start {
  readonly strategy?: "parallel" | "sequential";
  readonly peers?: FactotumConfig["broadcast"]["peers"];
  readonly patch?: (config: FactotumConfig) => FactotumConfig;
  readonly home?: string;
  readonly requireMention?: boolean;
}

async function start({
  strategy = "parallel",
  peers = { "test:g1": ["ada", "bob"] },
  patch = (config) => config,
  requireMention = false,
  ...options
}: Start = {}): Promise<void> {
  running = await startTestGateway({
    platform,
    accountConfig: {
      allowFrom: ["owner-1", "guest-1"],
      dmPolicy: "allowlist",
      groupPolicy: "allowlist",
      groups: { g1: { requireMention } },
      allowBots: true,
      botLoop: { maxMessages: 3, windowSeconds: 60, cooldownSeconds: 60 },
    },
    ...options,
    patch: (config) => {
      const base = withModel(server.baseUrl)(config);
      const agents = base.agents.flatMap((agent) => [
        agent,
        ...(["Ada", "Bob"] as const).map((name) => ({
          ...agent,
          id: name.toLowerCase(),
          name,
          isDefault: false,
          systemPrompt: `You are ${name}.`,
        })),
      ]);
      return patch({ ...base, agents, broadcast: { strategy, peers } });
    },
  });
}

async function say(text: string, extra: Partial<MsgContext> = {}): Promise<void> {
  await platform.say(platform.message(text, { origin: GROUP, ...extra }));
}

async function sayAndWait(text: string, extra: Partial<MsgContext> = {}): Promise<void> {
  await say(text, extra);
  await running.gateway.engine.idle();
}

const historyOf = async (key: string): Promise<string> => {
  const session = await running.store.readSession(key);
  return session === undefined ? "" : JSON.stringify(await running.store.readContext(session.sessionId));
};

describe("a message that several agents answer", () => {
  test("is answered by each in a session of its own, under its name; others are answered by one agent", async () => {
    await start();
    await sayAndWait("hello");
    expect(sent().toSorted()).toEqual([ADA_SAYS, BOB_SAYS]);
    for (const { target } of platform.sent) expect(target.conversation).toEqual(GROUP.conversation);
    expect((await running.store.readSession(ADA))?.agentId).toBe("ada");
    expect((await running.store.readSession(BOB))?.agentId).toBe("bob");
    expect(await historyOf(BOB)).not.toContain("Ada");
    // The name is the chat's alone.
    expect(await historyOf(ADA)).not.toContain("**Ada**");
    await sayAndWait("elsewhere", { origin: { ...GROUP, conversation: { kind: "direct", id: "d1" } } });
    expect(sent().at(-1)).toBe("Main's answer.");
  });

  test("is accepted once, however often the platform delivers it", async () => {
    await start();
    const message = platform.message("hello", { origin: GROUP });
    for (let times = 0; times < 3; times += 1) await platform.say(message);
    await platform.say({ ...message, eventId: "another-event" });
    await running.gateway.engine.idle();
    expect(asked().toSorted()).toEqual(["ada", "bob"]);
  });

  test("of a person is answered by the sessions that dmScope says, of the owner by the agents' main sessions", async () => {
    await start({ peers: { "test:owner-1": ["ada", "bob"], "test:guest-1": ["bob", "ada"] } });
    const origin = { ...GROUP, conversation: { kind: "direct" as const, id: "chat" } };
    await sayAndWait("hello", { origin });
    await sayAndWait("hello", {
      origin: { ...origin, conversation: { kind: "direct", id: "other" } },
      sender: { id: "guest-1", isBot: false },
    });
    const keys = ["agent:ada:main", "agent:bob:main", "agent:ada:test:direct:guest-1", "agent:bob:test:direct:guest-1"];
    for (const key of keys) expect([key, (await running.store.readSession(key)) !== undefined]).toEqual([key, true]);
    expect(sent()).toHaveLength(4);
  });

  test("is given to none of them if its sender is not admitted, or if it mentions no one", async () => {
    await start({
      requireMention: true,
      patch: (config) => ({ ...config, messages: { ...config.messages, groupChat: { ...config.messages.groupChat, historyLimit: 5 } } }),
    });
    await sayAndWait("overheard canary", { sender: { id: "ann", isBot: false } });
    await sayAndWait("hello", { origin: { ...GROUP, conversation: { kind: "group", id: "g2" } } });
    expect(server.requests).toEqual([]);
    expect(await running.store.listRecentInputs(9)).toHaveLength(2);
    // Each agent is given what was said before the mention, once, also after a restart.
    await running.stop();
    await start({ requireMention: true, home: running.home });
    await sayAndWait("what do you think?", { mentionsBot: true });
    const requests = server.requests.map((request) => JSON.stringify(request.body?.["messages"]));
    expect(requests.map((request) => request.split("overheard canary").length)).toEqual([2, 2]);
    await running.stop();
    await start({ requireMention: true, home: running.home });
    await sayAndWait("and now?", { mentionsBot: true });
    expect(JSON.stringify(server.requests.at(-1)?.body?.["messages"]).split("overheard canary")).toHaveLength(2);
  });

  test("a pressed button goes to the agent whose message has it", async () => {
    let count = 0;
    const ids = new Map<string, MessageId>();
    platform.answer = (outbound): SendReceipt => {
      const id = messageId(`sent-${(count += 1)}`);
      ids.set(textOf(outbound), id);
      return { type: "accepted", messageIds: [id] };
    };
    await start();
    await sayAndWait("hello");
    const targetId = ids.get(BOB_SAYS);
    if (targetId === undefined) throw new Error("Bob has said nothing");
    await sayAndWait("Yes", { event: { type: "action", actionId: "yes", targetId } });
    expect(asked().slice(2)).toEqual(["bob"]);
    expect(sent().at(-1)).toBe(BOB_SAYS);
  });

  test("is not for the external agent of a binding", async () => {
    const binding = { agentId: "main", type: "acp", acp: { agent: "coder" }, match: { channel: "test" }, session: {} } as const;
    await start({ patch: (config) => ({ ...config, bindings: [binding] }) });
    await sayAndWait("hello");
    expect(sent().toSorted()).toEqual([ADA_SAYS, BOB_SAYS]);
  });

  test("stays with its agents: the conversation cannot be focused", async () => {
    await start();
    await sayAndWait("/focus agent:main:main");
    expect(sent()).toEqual([expect.stringContaining("Several agents answer this conversation")]);
    await sayAndWait("hello");
    expect(sent().slice(1).toSorted()).toEqual([ADA_SAYS, BOB_SAYS]);
  });

  test("of a bot counts once for the limit of its exchanges", async () => {
    await start();
    const bot = { sender: { id: "owner-1", isBot: true } };
    for (let count = 0; count < 4; count += 1) await sayAndWait("ping", bot);
    expect(asked().toSorted()).toEqual(["ada", "ada", "ada", "bob", "bob", "bob"]);
  });
});

test("a file without a text is sent under the name of its agent", async () => {
  platform = new TestPlatform("platform", { media: [{ kind: "file", maxBytes: 1000 }], limits: { captionLength: 100 } });
  await start({ peers: { "test:owner-1": ["ada", "bob"] } });
  answers.ada = () => textReply("MEDIA: note.txt");
  await mkdir(path.join(running.home, "workspace"), { recursive: true });
  await writeFile(path.join(running.home, "workspace", "note.txt"), "A note.");
  await sayAndWait("hello", { origin: { ...GROUP, conversation: { kind: "direct", id: "chat" } } });
  expect(platform.sent.map(({ outbound }) => outbound)).toContainEqual(expect.objectContaining({ type: "media", caption: "**Ada**" }));
});

describe("commands in such a conversation", () => {
  test("are given to each agent for its own session; those about no conversation to the first alone", async () => {
    await start();
    await sayAndWait("hello");
    await sayAndWait("/new");
    expect(sent().slice(2).toSorted()).toEqual(["**Ada**\n\nThis is a new conversation.", "**Bob**\n\nThis is a new conversation."]);
    for (const key of [ADA, BOB]) expect(await historyOf(key)).not.toContain("answer");
    await sayAndWait("/whoami");
    expect(sent().at(-1)).toContain("Route: agent ada and the others of this conversation, by broadcast (parallel)");
    await sayAndWait("/nosuch", { mentionsBot: true });
    const later = sent().slice(4);
    expect(later.map((text) => text.split("\n")[0])).toEqual(["**Ada**", "**Ada**"]);
    expect(later[1]).toContain("There is no command /nosuch");
  });

  test("/stop also drops what an agent has not begun because another one answers first", async () => {
    await start({ strategy: "sequential" });
    const begun = Promise.withResolvers<void>();
    answers.ada = async () => {
      begun.resolve();
      return new Promise<never>(() => undefined);
    };
    await say("hello");
    await begun.promise;
    await sayAndWait("/stop");
    expect(asked()).toEqual(["ada"]);
    const states = await running.store.listInputs({ state: "waiting", limit: 9 });
    expect(states.items).toEqual([]);
  });
});

describe("the order of the answers", () => {
  test("sequential: an agent begins once the answer before its own is delivered, in every message", async () => {
    await start({ strategy: "sequential" });
    const seen: (readonly string[])[] = [];
    answers.bob = () => {
      seen.push(sent());
      return textReply("Bob's answer.");
    };
    await say("one");
    await sayAndWait("two", { messageId: "m-two" as MsgContext["messageId"] });
    expect(sent().at(-1)).toBe(BOB_SAYS);
    expect(sent().toSorted()).toEqual([ADA_SAYS, ADA_SAYS, BOB_SAYS, BOB_SAYS]);
    for (const before of seen)
      expect(before.filter((text) => text === ADA_SAYS).length).toBeGreaterThan(before.filter((text) => text === BOB_SAYS).length);
  });

  test("sequential: an agent that fails holds up no other", async () => {
    await start({
      strategy: "sequential",
      patch: (config) => ({
        ...config,
        agents: config.agents.map((agent) =>
          agent.id === "ada" ? { ...agent, model: { primary: "nosuch/model", fallbacks: [] } } : agent,
        ),
      }),
    });
    await sayAndWait("hello");
    expect(sent()).toHaveLength(2);
    expect(sent()[0]).toMatch(/^\*\*Ada\*\*\n\n/);
    expect(sent()[1]).toBe(BOB_SAYS);
  });

  test("parallel: no agent waits for another", async () => {
    await start();
    const bobHasAnswered = Promise.withResolvers<void>();
    answers.ada = async () => {
      await bobHasAnswered.promise;
      return textReply("Ada's answer.");
    };
    answers.bob = () => {
      bobHasAnswered.resolve();
      return textReply("Bob's answer.");
    };
    await sayAndWait("hello");
    expect(sent().toSorted()).toEqual([ADA_SAYS, BOB_SAYS]);
  });

  test("what waits at a stop is answered in order after the next start, and nothing twice", async () => {
    await start({ strategy: "sequential" });
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    answers.ada = async () => {
      begun.resolve();
      await release.promise;
      return textReply("Ada's answer.");
    };
    await say("hello");
    await begun.promise;
    const stopped = running.stop();
    release.resolve();
    await stopped;
    await start({ strategy: "sequential", home: running.home });
    await running.gateway.engine.idle();
    expect(sent()).toEqual([ADA_SAYS, BOB_SAYS]);
  });
});
