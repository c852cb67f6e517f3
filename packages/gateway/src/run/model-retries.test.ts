import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicReply, AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import { hastyClock } from "../../test/hasty-clock.ts";
import { OUTER_PLACE } from "../queue/lane-place.ts";
import { MessageDigests } from "../requests/message-digests.ts";
import { createRunModel } from "./run-model.ts";

const HELLO = { role: "user", content: [{ type: "text", text: "hello" }], timestamp: 0 } as const;

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
});
afterEach(() => server[Symbol.asyncDispose]());

const overloaded = (headers: Readonly<Record<string, string>> = {}): AnthropicReply => ({
  type: "error",
  errorType: "overloaded_error",
  message: "Overloaded",
  headers,
});

const texts = (): string[] => platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));

test("every try is charged, counted and logged, and the answer is sent once", async () => {
  server.script([overloaded(), overloaded(), textReply("Here.")]);
  await using running = await startTestGateway({ platform, clock: hastyClock, patch: withModel(server.baseUrl) });
  await platform.say(platform.message("hello"));
  await running.gateway.engine.idle();
  expect(texts()).toEqual(["Here."]);
  expect(server.requests).toHaveLength(3);
  const bodies = server.requests.map(({ bytes }) => bytes.toString());
  expect(new Set(bodies).size).toBe(1);
  const { parts } = running.gateway.engine;
  const day = parts.running.agents.default.time.day(Date.now());
  expect(await running.store.readSpend(day, "main")).toMatchObject([{ cause: "user", calls: 3 }]);
  expect(parts.observer.counted().factotum_model_retries_total).toEqual([
    { labels: { provider: "anthropic", cause: "user", reason: "overloaded" }, value: 2 },
  ]);
  const lines = running.logger.lines.filter((line) => line.includes("A model request is retried"));
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain("529");
});

test("a backoff beyond the limit is not awaited, and the person learns when to try again", async () => {
  server.respond(() => overloaded({ "retry-after": "90" }));
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  await platform.say(platform.message("hello"));
  await running.gateway.engine.idle();
  expect(texts()).toEqual([expect.stringContaining("Try again in 2 minutes.")]);
  expect(server.requests).toHaveLength(1);
});

test.each([
  ["heartbeat", "budget", 9],
  // The schedule tries it again, ever more rarely.
  ["cron", "overloaded", 12],
] as const)("retried tries do not pause a %s run; requests that fail for good end in %s", async (kind, last, requests) => {
  server.respond(() => overloaded());
  await using running = await startTestGateway({ platform, clock: hastyClock, patch: withModel(server.baseUrl) });
  const { parts } = running.gateway.engine;
  const cause = { agentId: "main", kind, sessionKey: "cron:1", owner: true } as const;
  const model = await parts.running.models.resolve(undefined);
  const kept = { view: {} as never, causes: [], sentBefore: 0, lastEntryId: "", digests: new MessageDigests(), place: OUTER_PLACE };
  const { client } = createRunModel({ model, fallbacks: [] }, cause, parts, kept);
  const ask = async (): Promise<string | undefined> => {
    const request = { system: { stable: "", session: "" }, messages: [HELLO], tools: [] };
    for await (const event of client.stream(request, { signal: new AbortController().signal }))
      if (event.type === "message-failed") return event.error.code;
    return undefined;
  };
  expect([await ask(), await ask(), await ask(), await ask()]).toEqual(["overloaded", "overloaded", "overloaded", last]);
  expect(server.requests).toHaveLength(requests);
});

test("thinking blocks of a failed try are withdrawn from watchers and from the conversation", async () => {
  const thoughtful = (thinking: string, text: string): Extract<AnthropicReply, { type: "message" }> => ({
    type: "message",
    content: [
      { type: "thinking", thinking },
      { type: "text", text },
    ],
  });
  const cut: AnthropicReply = {
    ...thoughtful("A first idea, which is never finished. ".repeat(40), "No."),
    fault: { type: "cut", afterBytes: 2_000 },
  };
  server.script([cut, thoughtful("A second idea.", "Here.")]);
  await using running = await startTestGateway({ platform, clock: hastyClock, patch: withModel(server.baseUrl) });
  const { events, store } = running.gateway.engine.parts;
  const seen: string[] = [];
  const blocks: string[] = [];
  using _watch = events.subscribe("agent:main:main", (event) => {
    seen.push(event.type);
    if (event.type === "entry" && event.entry.type === "assistant") return;
    if (event.type === "answer-restart") blocks.splice(0);
    if (event.type === "block-delta") blocks.push(event.text);
  });
  await platform.say(platform.message("hello"));
  await running.gateway.engine.idle();
  expect(texts()).toEqual(["Here."]);
  expect(seen.filter((type) => type === "answer-restart")).toHaveLength(1);
  expect(seen.indexOf("block-delta")).toBeLessThan(seen.indexOf("answer-restart"));
  expect(blocks.join("")).toBe("A second idea.Here.");
  const session = await store.readSession("agent:main:main");
  const context = JSON.stringify(await store.readContext(session?.sessionId ?? ""));
  expect(context).toContain("A second idea.");
  expect(context).not.toContain("A first idea");
});

test("holds no place in its lane during backoff: other sessions are answered meanwhile", async () => {
  server.respond(({ body }) => (JSON.stringify(body).includes("asparagus") ? overloaded({ "retry-after": "25" }) : textReply("Here.")));
  await using running = await startTestGateway({
    platform,
    patch: (config) => {
      const base = withModel(server.baseUrl)(config);
      return { ...base, maxConcurrent: 1, session: { ...base.session, dmScope: "per-channel-peer" } };
    },
    accountConfig: { allowFrom: ["ann", "other"] },
  });
  const say = (person: string, text: string) => {
    const origin = { channel: "test", accountId: "default", conversation: { kind: "direct", id: `dm-${person}` } } as const;
    return platform.say(platform.message(text, { origin, sender: { id: person, isBot: false } }));
  };
  await say("ann", "asparagus");
  await expect.poll(() => running.logger.lines.some((line) => line.includes("A model request is retried"))).toBe(true);
  await say("other", "hello");
  await platform.waitForSends(1);
  expect(platform.sent.map(({ target, outbound }) => [target.conversation.id, outbound])).toEqual([
    ["dm-other", expect.objectContaining({ text: "Here." })],
  ]);
  await say("ann", "/stop");
  await running.gateway.engine.idle();
});

test("/stop ends the backoff", async () => {
  server.respond(() => overloaded({ "retry-after": "25" }));
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  await platform.say(platform.message("hello"));
  const retried = (): readonly string[] => running.logger.lines.filter((line) => line.includes("A model request is retried"));
  await expect.poll(retried).toHaveLength(1);
  const stopped = performance.now();
  await platform.say(platform.message("/stop"));
  await running.gateway.engine.idle();
  expect(performance.now() - stopped).toBeLessThan(10_000);
  expect(server.requests).toHaveLength(1);
  expect(retried()).toHaveLength(1);
});

describe("an answer that is cut off in its text", () => {
  const LONG = "A first idea, which is never finished. ".repeat(40);
  const cut: AnthropicReply = {
    type: "message",
    content: [{ type: "text", text: LONG }],
    deltaCharacters: 40,
    fault: { type: "cut", afterBytes: 2_000 },
  };
  const requests = (): number => server.requests.length;

  test("is requested again while nobody has seen it: each try is charged, the answer is sent once", async () => {
    server.script([cut, cut, textReply("Here.")]);
    await using running = await startTestGateway({ platform, clock: hastyClock, patch: withModel(server.baseUrl) });
    await platform.say(platform.message("hello"));
    await running.gateway.engine.idle();
    expect(texts()).toEqual(["Here."]);
    const day = running.gateway.engine.parts.running.agents.default.time.day(Date.now());
    expect(await running.store.readSpend(day, "main")).toMatchObject([{ cause: "user", calls: 3 }]);
    const session = await running.store.readSession("agent:main:main");
    expect(JSON.stringify(await running.store.readContext(session?.sessionId ?? ""))).not.toContain("A first idea");
  });

  test("fails with one message after the third try", async () => {
    server.respond(() => cut);
    await using running = await startTestGateway({ platform, clock: hastyClock, patch: withModel(server.baseUrl) });
    await platform.say(platform.message("hello"));
    await running.gateway.engine.idle();
    expect(requests()).toBe(3);
    expect(texts()).toEqual([expect.stringContaining("broke off")]);
  });

  test("is final for a client that watches the session", async () => {
    server.script([cut, textReply("Here.")]);
    await using running = await startTestGateway({ platform, clock: hastyClock, patch: withModel(server.baseUrl) });
    using _watch = running.gateway.engine.parts.events.subscribe("agent:main:main", () => undefined);
    await platform.say(platform.message("hello"));
    await running.gateway.engine.idle();
    expect(requests()).toBe(1);
    expect(texts()).toEqual([expect.stringContaining("broke off")]);
  });

  // A preview in blocks waits for 200 characters; in blocks of messages, for 50.
  test.each([
    ["preview", { streaming: { mode: "block" } }, "off"],
    ["message", { blockStreaming: true }, "on"],
  ] as const)("is requested again as long as the %s has none of it", async (_name, accountConfig, blockStreamingDefault) => {
    platform = new TestPlatform("platform", { edit: true, delete: true, streaming: "edit" });
    const patch: NonNullable<Parameters<typeof startTestGateway>[0]>["patch"] = (config) => {
      const base = withModel(server.baseUrl)(config);
      return { ...base, agents: base.agents.map((agent) => ({ ...agent, blockStreamingDefault })) };
    };
    const short: AnthropicReply = { ...cut, fault: { type: "cut", afterBytes: 700 } };
    server.script([short, textReply("Here.")]);
    await using running = await startTestGateway({ platform, clock: hastyClock, patch, accountConfig });
    await platform.say(platform.message("hello"));
    await running.gateway.engine.idle();
    expect(texts()).toEqual(["Here."]);
    expect(requests()).toBe(2);
  });

  test("is final once blocks of it were sent, and they are sent once", async () => {
    const rows = {
      blockStreamingDefault: "on",
      blockStreamingChunk: { minChars: 50, maxChars: 150 },
      blockStreamingCoalesce: { idleMs: 0 },
    } as const;
    const patch: NonNullable<Parameters<typeof startTestGateway>[0]>["patch"] = (config) => {
      const base = withModel(server.baseUrl)(config);
      return { ...base, agents: base.agents.map((agent) => ({ ...agent, ...rows })) };
    };
    server.script([{ ...cut, fault: { type: "cut", afterBytes: 3_500 } }, textReply("Here.")]);
    await using running = await startTestGateway({ platform, clock: hastyClock, patch, accountConfig: { blockStreaming: true } });
    await platform.say(platform.message("hello"));
    await running.gateway.engine.idle();
    expect(requests()).toBe(1);
    expect(texts().length).toBeGreaterThan(1);
    const sent = texts().join(" ");
    expect(LONG.startsWith(sent.slice(0, sent.lastIndexOf("finished.")).trim())).toBe(true);
  });
});
