import type { AgentTool, Questioner, QuestionOutcome } from "@factotum/agent-contract";
import type { MsgContext } from "@factotum/channel-contract";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { defineTool } from "@factotum/tools";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { endsAsKilled, startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const GROUP = { channel: "test", accountId: "default", conversation: { kind: "group", id: "group-1" } } as const;
const MALLORY = { id: "mallory", name: "Mallory", isBot: false } as const;
const OLGA = { id: "olga", name: "Olga", isBot: false } as const;
const OPEN_GROUPS = { groupPolicy: "open", groups: { "*": { requireMention: false } } as never, allowFrom: ["mallory", "olga"] } as const;
const COLOUR = { question: "Which colour?", options: ["Red", "Blue"] };

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
});
afterEach(() => server[Symbol.asyncDispose]());

const start = (options: Partial<Parameters<typeof startTestGateway>[0]> = {}): Promise<TestGateway> =>
  startTestGateway({ platform, patch: withModel(server.baseUrl), ...options });

/** The model asks these questions when a message says "ask me", and repeats what the tool said. */
function modelAsks(...questions: readonly { readonly question: string; readonly options?: readonly string[] }[]): void {
  server.respond(({ body }) => {
    const last = ((body?.["messages"] ?? []) as unknown as readonly { readonly content: unknown }[]).at(-1)?.content;
    const [result, more] = Array.isArray(last) ? (last as readonly Readonly<Record<string, unknown>>[]) : [];
    if (result?.["type"] === "tool_result" && more === undefined) return textReply(`It said: ${words(result["content"])}`);
    return JSON.stringify(last).includes("ask me")
      ? toolReply({ name: "ask_user", input: { questions: questions.map((one) => ({ ...one })) } })
      : textReply("Hello.");
  });
}

/** The text of a result, in one line. */
function words(content: unknown): string {
  const parts = Array.isArray(content) ? (content as readonly { readonly text: string }[]).map(({ text }) => text) : [String(content)];
  return parts.join("\n").replaceAll("\n", " / ");
}

const texts = (): string[] => platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));
const shown = (text: string): Promise<unknown> => vi.waitUntil(() => texts().some((sent) => sent.includes(text)), { timeout: 10_000 });

async function ask(message: Partial<MsgContext> = {}): Promise<void> {
  await platform.say(platform.message("ask me", message));
  await shown("Which colour?");
}

async function say(running: TestGateway, text: string, message: Partial<MsgContext> = {}): Promise<string | undefined> {
  await platform.say(platform.message(text, message));
  await running.gateway.engine.idle();
  return texts().at(-1);
}

describe("a question in a chat without buttons", () => {
  test.each([
    ["2", "Blue"],
    [" 2. ", "Blue"],
    ["blue", "Blue"],
    ["3", "3"],
    ["Green, please", "Green, please"],
  ])("is numbered, and the message %j answers it", async (text, answer) => {
    modelAsks(COLOUR);
    await using running = await start();
    await ask();
    expect(texts()).toEqual(["Which colour?\n\n1. Red\n2. Blue\n\nReply with a number, or in your own words."]);
    expect(await say(running, text)).toBe(`It said: The user answered: / ${answer}`);
    expect(texts()).toHaveLength(2);
    expect(server.requests).toHaveLength(2);
  });

  test("is followed by the next one; each answer belongs to its question", async () => {
    modelAsks(COLOUR, { question: "Which size?" });
    await using running = await start();
    await ask();
    await platform.say(platform.message("1"));
    await shown("Which size?\n\nReply with your answer.");
    expect(await say(running, "1")).toBe("It said: The user answered: / Which colour? Red / Which size? 1");
  });

  test("holds no place of its lane while it waits, and the wait is not the run's time", async () => {
    modelAsks(COLOUR);
    const patch = (config: Parameters<ReturnType<typeof withModel>>[0]) => ({ ...withModel(server.baseUrl)(config), maxConcurrent: 1 });
    await using running = await start({ patch, accountConfig: { dmPolicy: "open", allowFrom: ["*"] } });
    await ask();
    const other = { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-2" } } as const;
    await platform.say(platform.message("hi", { sender: OLGA, origin: other }));
    await shown("Hello.");
    expect(await say(running, "2")).toContain("Blue");
  });
});

describe("a question in a chat with buttons", () => {
  const press = (value = "", sender: MsgContext["sender"] = { id: "owner-1", isBot: false }): Partial<MsgContext> => ({
    event: { type: "action", actionId: "x", value },
    sender,
  });
  const card = async () => {
    const sent = await vi.waitUntil(() => platform.sent.map(({ outbound }) => outbound).find((outbound) => outbound.type === "card"));
    return sent.card;
  };

  test("has one for each option; a press answers it, and a later one says that it is closed", async () => {
    platform = new TestPlatform("platform", { cards: true, buttons: true });
    modelAsks(COLOUR);
    await using running = await start();
    await platform.say(platform.message("ask me"));
    const { buttons = [] } = await card();
    expect(buttons.map(({ label }) => label)).toEqual(["Red", "Blue"]);
    await say(running, "", press(buttons[1]?.value));
    expect(texts()).toEqual(expect.arrayContaining(["Answered: Blue", "It said: The user answered: / Blue"]));
    expect(await say(running, "", press(buttons[0]?.value))).toContain("does not wait for an answer any more");
    expect(server.requests).toHaveLength(2);
  });

  test("is answered by no other person", async () => {
    platform = new TestPlatform("platform", { cards: true, buttons: true });
    modelAsks(COLOUR);
    await using running = await start({ accountConfig: OPEN_GROUPS });
    await platform.say(platform.message("ask me", { origin: GROUP, sender: OLGA, mentionsBot: true }));
    const { buttons = [] } = await card();
    await platform.say(platform.message("", { ...press(buttons[1]?.value, MALLORY), origin: GROUP }));
    await shown("Somebody else was asked that.");
    await say(running, "", { ...press(buttons[1]?.value, OLGA), origin: GROUP });
    expect(texts()).toContain("It said: The user answered: / Blue");
  });
});

describe("the wait ends", () => {
  test("by /stop", async () => {
    modelAsks(COLOUR);
    await using running = await start();
    await ask();
    await say(running, "/stop");
    expect(await say(running, "2")).toBe("Hello.");
  });

  test("by a message that cannot be an answer, which the model gets", async () => {
    modelAsks(COLOUR);
    await using running = await start();
    await ask();
    const answer = await say(running, "See this", { forwarded: { from: "Mallory", body: "hi" } });
    const requests = JSON.stringify(server.requests.at(-1)?.body?.["messages"]);
    expect(requests).toContain("another message came in first");
    expect(requests).toContain("See this");
    expect(answer).toBe("Hello.");
  });

  test("by a message of another person in the group; the person who was asked is the only one to answer", async () => {
    modelAsks(COLOUR);
    await using running = await start({ accountConfig: OPEN_GROUPS });
    await ask({ origin: GROUP, sender: OLGA, mentionsBot: true });
    expect(texts().at(-1)).toContain("Reply to this message with a number");
    await say(running, "2", { origin: GROUP, sender: MALLORY, mentionsBot: true });
    expect(JSON.stringify(server.requests[1]?.body?.["messages"])).toContain("another message came in first");
  });
});

test.each(["stopped", "killed"])("a question waits on after the gateway was %s", async (how) => {
  modelAsks(COLOUR, { question: "Which size?" });
  const first = await start(how === "killed" ? { around: endsAsKilled } : {});
  await ask();
  await platform.say(platform.message("2"));
  await shown("Which size?");
  await first.stop();
  await using second = await start({ home: first.home });
  const { waitingCalls } = second.gateway.engine.parts;
  await vi.waitUntil(() => waitingCalls.count === 1);
  expect(texts().filter((text) => text.includes("Which"))).toHaveLength(2);
  expect(await say(second, "small")).toBe("It said: The user answered: / Which colour? Blue / Which size? small");
});

test("a run that no message started asks no one", async () => {
  modelAsks(COLOUR);
  await using running = await start();
  const { questions } = running.gateway.engine.parts;
  const run = {
    runId: "none",
    kind: "cron",
    agentId: "main",
    sessionKey: "cron:a",
    sessionId: "s",
    workspace: "/",
    owner: true,
    timeZone: "UTC",
  } as const;
  expect(await questions.ask([{ question: "Which?", options: [] }], { callId: "call", run })).toMatchObject({
    type: "unanswered",
    message: expect.stringContaining("No one can be asked") as string,
  });
  expect(texts()).toEqual([]);
});

test("a question that its asker no longer wants ends, and takes no message as its answer", async () => {
  const unwanted = new AbortController();
  const outcomes: QuestionOutcome[] = [];
  const asks = (questioner: Questioner): AgentTool => ({
    ...defineTool({
      name: "asks",
      summary: "Asks",
      description: "Asks.",
      schema: z.strictObject({}),
      traits: { effect: "read", idempotent: true, output: "trusted", network: false, parallel: false },
      execute: async (_, { callId, run }) => {
        outcomes.push(await questioner.ask([COLOUR], { callId, run, signal: unwanted.signal }));
        return { content: [{ type: "text", text: "asked" }] };
      },
    }),
  });
  await using running = await start({ toolSources: ({ questioner }) => [{ id: "asking", tools: [asks(questioner)] }] });
  server.script([toolReply({ name: "asks", input: {} }), textReply("Went on."), textReply("Hello.")]);
  await platform.say(platform.message("go"));
  await shown("Which colour?");
  unwanted.abort();
  await shown("Went on.");
  expect(outcomes).toMatchObject([{ type: "unanswered", answers: [] }]);
  expect(await say(running, "Red")).toBe("Hello.");
});
