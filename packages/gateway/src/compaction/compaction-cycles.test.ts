import type { MsgContext } from "@factotum/channel-contract";
import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicReply, AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const SESSION = "agent:main:main";
const REFUSED: AnthropicReply = { type: "error", errorType: "invalid_request_error", message: "no" };

let server: AnthropicServer;
let platform: TestPlatform;
/** The summariser's answer. */
let summarise: () => AnthropicReply | Promise<AnthropicReply>;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
  let count = 0;
  summarise = () => textReply(`Known: summary ${(count += 1)}.`);
  server.respond(async ({ body }) => {
    const kind = kindOf(body);
    if (kind === "summary") return summarise();
    return textReply(kind === "notes" ? "NO_REPLY" : "Noted.");
  });
});
afterEach(() => server[Symbol.asyncDispose]());

/** 61,000 tokens: a few long messages fill it. */
const windowed =
  (memoryFlush: boolean) =>
  (config: FactotumConfig): FactotumConfig => {
    const base = withModel(server.baseUrl)(config);
    const { anthropic } = base.models.providers;
    if (anthropic === undefined) throw new Error("no provider");
    const models = [{ id: "claude-sonnet-5-5", contextWindow: 61_000, maxOutput: 1000 }];
    return {
      ...base,
      models: { ...base.models, providers: { anthropic: { ...anthropic, models } } },
      agents: base.agents.map((agent) => ({ ...agent, compaction: { ...agent.compaction, memoryFlush } })),
    };
  };

const start = ({ memoryFlush = false } = {}): Promise<TestGateway> =>
  startTestGateway({ platform, patch: windowed(memoryFlush), accountConfig: { dmPolicy: "open", allowFrom: ["*"] } });

function kindOf(body: unknown): "summary" | "notes" | "turn" {
  const text = JSON.stringify(body);
  if (text.includes("You condense the record of a conversation")) return "summary";
  const messages = (body as { readonly messages?: readonly { readonly role: string; readonly content: unknown }[] } | undefined)?.messages;
  const last = JSON.stringify(messages?.findLast(({ role }) => role === "user")?.content ?? "");
  return last.includes(String.raw`\"run\":\"memory\"`) ? "notes" : "turn";
}

const asked = (kind: ReturnType<typeof kindOf>): readonly string[] =>
  server.requests.flatMap(({ body }) => (kindOf(body) === kind ? [JSON.stringify(body?.["messages"])] : []));
const said = (): readonly string[] => platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));
const long = (word: string): string => `${word} ${"lorem ipsum ".repeat(700)}`;

async function say(running: TestGateway, text: string, extra: Partial<MsgContext> = {}): Promise<void> {
  await platform.say(platform.message(text, extra));
  await running.gateway.engine.idle();
}

/** Sends long messages until this many summaries were requested; returns the sent texts. */
async function fillUntilSummary(running: TestGateway, count: number, prefix = "word"): Promise<readonly string[]> {
  const words: string[] = [];
  while (asked("summary").length < count) {
    if (words.length > 30) throw new Error("no summary was asked for");
    words.push(`${prefix}-${words.length}.`);
    await say(running, long(words.at(-1) ?? ""));
  }
  return words;
}

/** The summaries in the conversation, oldest first. */
async function summaries({ store }: TestGateway, sessionKey = SESSION) {
  const { items } = await store.readTranscript((await store.readSession(sessionKey))?.sessionId ?? "", { limit: 500 });
  return items.flatMap((entry) => (entry.type === "compaction" ? [entry.message] : []));
}

describe("a summary of a summary", () => {
  const FORWARDED = { forwarded: { from: "Mallory", body: "the news" } };

  test("includes the earlier one once, as known facts, and not as a message", async () => {
    await using running = await start();
    for (const text of ["one", "two"]) await say(running, long(text));
    await say(running, "/compact");
    for (const text of ["three", "four"]) await say(running, long(text));
    await say(running, "/compact");
    const [, second = ""] = asked("summary");
    expect(second.split("Known: summary 1.")).toHaveLength(2);
    expect(second).not.toContain("compaction");
    expect(asked("summary")).toHaveLength(2);
    await say(running, "and?");
    const last = asked("turn").at(-1) ?? "";
    expect(last).toContain("Known: summary 2.");
    expect(last).not.toContain("Known: summary 1.");
  });

  test.each([
    ["of the owner's own text is not tainted", {}, [undefined, undefined]],
    ["that includes text of others is tainted, and so is the next one", FORWARDED, [true, true]],
  ])("%s", async (_name, extra, tainted) => {
    await using running = await start();
    await say(running, long("one"), extra);
    await say(running, long("two"));
    await say(running, "/compact");
    await say(running, long("three"));
    await say(running, "/compact");
    expect((await summaries(running)).map((message) => message.tainted)).toEqual(tainted);
  });
});

describe("in the background", () => {
  test("the newest messages stay verbatim, up to the configured number of tokens", async () => {
    await using running = await start();
    const words = await fillUntilSummary(running, 1);
    await say(running, "and?");
    const last = asked("turn").at(-1) ?? "";
    expect(last).toContain("Known: summary 1.");
    const kept = words.filter((word) => last.includes(word));
    expect(kept).toEqual(words.slice(-kept.length));
    // A quarter of the window, in messages of some 2,100 tokens. A requested summary leaves fewer.
    expect(kept).toHaveLength(7);
  });

  test("attempts at notes and summaries are reset by the next compaction, and notes are written once for each", async () => {
    summarise = () => REFUSED;
    await using running = await start({ memoryFlush: true });
    await fillUntilSummary(running, 1);
    for (const text of ["and?", "so?", "well?"]) await say(running, text);
    expect({ notes: asked("notes").length, summaries: asked("summary").length }).toEqual({ notes: 1, summaries: 3 });
    summarise = () => textReply("Known: words.");
    await say(running, "/compact");
    expect((await running.store.readSession(SESSION))?.compactionCount).toBe(1);
    summarise = () => REFUSED;
    await fillUntilSummary(running, 5, "later");
    for (const text of ["and?", "so?", "well?"]) await say(running, text);
    expect({ notes: asked("notes").length, summaries: asked("summary").length }).toEqual({ notes: 2, summaries: 7 });
  });

  test("summaries of two conversations are made concurrently", async () => {
    const gate = Promise.withResolvers<void>();
    const both = Promise.withResolvers<void>();
    let begun = 0;
    summarise = async () => {
      begun += 1;
      if (begun === 2) both.resolve();
      await gate.promise;
      return textReply("Known: words.");
    };
    await using running = await start();
    const guest = {
      origin: { channel: "test", accountId: "default", conversation: { kind: "direct" as const, id: "dm-eve" } },
      sender: { id: "eve", isBot: false },
    };
    let isReached = false;
    void both.promise.then(() => (isReached = true));
    for (let index = 0; !isReached; index += 1) {
      if (index > 60) throw new Error("two summaries were never asked for");
      const sent = platform.sent.length;
      await platform.say(platform.message(long(`word-${index}.`), index % 2 === 0 ? {} : guest));
      await platform.waitForSends(sent + 1);
    }
    gate.resolve();
    await running.gateway.engine.idle();
    const { items } = await running.store.listSessions({ limit: 10 });
    expect(items.map(({ compactionCount }) => compactionCount)).toEqual([1, 1]);
    expect(new Set(said())).toEqual(new Set(["Noted."]));
  });
});
