import { isPrefixOf, startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicReply, AnthropicServer } from "@factotum/testing-providers";
import type { FactotumConfig } from "@factotum/config";
import { StoreError } from "@factotum/store";
import { describe, expect, test } from "vitest";
import type { HookSource } from "../hooks/hook-source.ts";
import { buildContextReport } from "../requests/build-context-report.ts";
import { listContextRequests } from "../requests/list-context-requests.ts";
import { replayRequest } from "../requests/replay-request.ts";
import { startTestGateway, TestPlatform, withMethods, withModel } from "../../test/gateway-harness.ts";

/** A small window that a few long messages fill. */
function small(baseUrl: string): (config: FactotumConfig) => FactotumConfig {
  return (config) => {
    const base = withModel(baseUrl)(config);
    const anthropic = base.models.providers["anthropic"];
    if (anthropic === undefined) throw new Error("no provider");
    return {
      ...base,
      models: {
        ...base.models,
        providers: { anthropic: { ...anthropic, models: [{ id: "claude-sonnet-5-5", contextWindow: 20_800, maxOutput: 1000 }] } },
      },
    };
  };
}

const isSummary = (body: unknown): boolean => JSON.stringify(body).includes("You condense the record of a conversation");
/** The memory flush, which leaves the conversation as it was. */
const isFlush = (body: unknown): boolean => JSON.stringify(body).includes(String.raw`\"run\":\"memory\"`);
const long = (word: string): string => `${word} ${"lorem ipsum ".repeat(700)}`;

/** An answer after a thinking block, which the provider accepts only after the unchanged prefix. */
const NOTED: AnthropicReply = {
  type: "message",
  content: [
    { type: "thinking", thinking: "Hm." },
    { type: "text", text: "Noted." },
  ],
};

/** Answers messages, and summaries as `summarise` says. Counts both. */
function play(server: AnthropicServer, summarise: () => AnthropicReply): { readonly summaries: () => number } {
  server.respond(({ body }) => (isSummary(body) ? summarise() : NOTED));
  return { summaries: () => server.requests.filter(({ body }) => isSummary(body)).length };
}

async function converse(platform: TestPlatform, count: number, from = 0): Promise<void> {
  for (let index = from; index < from + count; index += 1) {
    const sent = platform.sent.length;
    await platform.say(platform.message(long(`word-${index}`)));
    await platform.waitForSends(sent + 1);
  }
}

describe("a conversation that exceeds its window", () => {
  test("is summarised between two turns, keeps the newest messages, and continues with a stable prefix", async () => {
    await using server = await startAnthropicServer();
    const played = play(server, () => textReply("Wanted: somebody said word-0 to word-2."));
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, patch: small(server.baseUrl) });
    await converse(platform, 12);
    expect(played.summaries()).toBeGreaterThanOrEqual(1);
    const asked = server.requests.filter(({ body }) => !isSummary(body) && !isFlush(body)).map(({ body }) => body ?? {});
    expect(JSON.stringify(asked.at(-1)).includes("Wanted: somebody said word-0 to word-2.")).toBe(true);
    expect(JSON.stringify(asked.at(-1)).includes("word-11")).toBe(true);
    expect(JSON.stringify(asked.at(-1))).toMatch(/Until \w{3} \d{4}-\d\d-\d\d \d\d:\d\d [^"\\]+:\\nWanted/);
    const transcript = JSON.stringify(server.requests.find(({ body }) => isSummary(body))?.body?.["messages"]);
    expect(transcript.split(String.raw`\"time\":\"`)).toHaveLength(transcript.split(String.raw`{\"role\":\"`).length);
    expect(transcript).toContain(String.raw`\"time\":\"`);
    const breaks = asked.slice(1).filter((body, index) => !isPrefixOf(asked[index] ?? {}, body)).length;
    expect(breaks).toBe((await running.store.readSession("agent:main:main"))?.compactionCount);
    expect(server.violations).toEqual([]);
    const all = await running.store.readTranscript((await running.store.readSession("agent:main:main"))?.sessionId ?? "", { limit: 200 });
    expect(JSON.stringify(all.items).includes("word-0")).toBe(true);
  });

  test.each([true, false])("says so in the chat where the owner wants it: %s", async (notifyUser) => {
    await using server = await startAnthropicServer();
    const played = play(server, () => textReply("Wanted: somebody said word-0 to word-2."));
    const platform = new TestPlatform();
    const patch = (config: FactotumConfig): FactotumConfig => {
      const base = small(server.baseUrl)(config);
      return { ...base, agents: base.agents.map((agent) => ({ ...agent, compaction: { ...agent.compaction, notifyUser } })) };
    };
    await using running = await startTestGateway({ platform, patch });
    await converse(platform, 12);
    await running.gateway.engine.idle();
    expect(played.summaries()).toBeGreaterThanOrEqual(1);
    if (notifyUser) await platform.waitForSends(13);
    const notices = platform.sent.filter(({ outbound }) => JSON.stringify(outbound).includes("Older messages of this conversation"));
    expect(notices.length > 0).toBe(notifyUser);
  });

  test("is truncated by rule when every summariser fails, and every message is answered", async () => {
    await using server = await startAnthropicServer();
    play(server, () => ({ type: "error", errorType: "overloaded_error", message: "no", headers: { "retry-after": "60" } }));
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, patch: small(server.baseUrl) });
    await converse(platform, 12);
    expect(platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""))).toEqual(
      Array.from({ length: 12 }, () => "Noted."),
    );
    expect((await running.store.readSession("agent:main:main"))?.compactionCount).toBeGreaterThanOrEqual(1);
    expect(server.violations).toEqual([]);
  });

  test.each([
    ["summary", textReply("Wanted: words."), true],
    ["rule", { type: "error", errorType: "overloaded_error", message: "no", headers: { "retry-after": "60" } } as const, false],
  ])("is observed before and after: %s", async (outcome, reply, isSummarised) => {
    await using server = await startAnthropicServer();
    play(server, () => reply);
    const platform = new TestPlatform();
    const seen: (readonly [string, unknown])[] = [];
    const source: HookSource = {
      owner: "plugin audit",
      trusted: true,
      hooks: (["before_compaction", "after_compaction"] as const).map((name) => ({ name, priority: 0 })),
      call: async (name, payload) => {
        seen.push([name, payload]);
        throw new Error("broken");
      },
    };
    await using running = await startTestGateway({ platform, patch: small(server.baseUrl), hookSources: () => [source] });
    await converse(platform, 9);
    await running.gateway.engine.idle();
    const sessionId = (await running.store.readSession("agent:main:main"))?.sessionId;
    const place = { agentId: "main", sessionKey: "agent:main:main", sessionId };
    expect(seen.slice(0, 2)).toEqual([
      ["before_compaction", { ...place, contextTokens: expect.any(Number), forced: false }],
      ["after_compaction", { ...place, outcome, summarised: expect.any(Number), leftOut: expect.any(Number) }],
    ]);
    const [, after] = seen[1] ?? [];
    expect(after).toMatchObject(isSummarised ? { leftOut: 0 } : { summarised: 0 });
  });

  test("stores the summariser's requests, and every request can be replayed across the compaction, byte for byte", async () => {
    await using server = await startAnthropicServer();
    play(server, () => textReply("Wanted: words."));
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, patch: small(server.baseUrl) });
    await converse(platform, 9);
    await running.gateway.engine.idle();
    const { parts } = running.gateway.engine;
    const sessionKey = "agent:main:main";
    const { requests } = await listContextRequests({ sessionKey, limit: 200 }, parts);
    expect(requests).toHaveLength(server.requests.length);
    const summaries = requests.filter(({ kind }) => kind === "compaction");
    expect(summaries).toHaveLength(server.requests.filter(({ body }) => isSummary(body)).length);
    expect(summaries.length).toBeGreaterThanOrEqual(1);
    expect(new Set(requests.map(({ kind }) => kind))).toEqual(new Set(["user", "memory", "compaction"]));
    const shown = await buildContextReport({ sessionKey, id: summaries[0]?.id, texts: true }, parts);
    expect(shown).toMatchObject({ exact: true, prompt: { cause: "compaction" } });
    expect(JSON.stringify(shown.parts)).toContain("You condense the record of a conversation");
    const originals = server.requests.map(({ bytes }) => bytes.toString());
    for (const request of requests) {
      const result = await replayRequest({ sessionKey, id: request.id }, parts, {
        signal: new AbortController().signal,
        onPiece: () => undefined,
      });
      expect(result.exact).toBe(true);
      expect(originals).toContain(server.requests.at(-1)?.bytes.toString());
    }
    expect(new Set(server.requests.slice(originals.length).map(({ bytes }) => bytes.toString())).size).toBe(requests.length);
    // Requests after a compaction are compared with the first one after it, not with the summary request.
    const after = requests.find(({ causes }) => causes.includes("compaction"));
    const report = await buildContextReport({ sessionKey, id: after?.id, diff: "previous" }, parts);
    expect(report.diff).toMatchObject({ prefixHeld: false, causes: ["compaction"] });
  });

  test("leaves an unfinished summary to the next turn that needs it", async () => {
    await using server = await startAnthropicServer();
    const reached = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    server.respond(async ({ body }) => {
      if (!isSummary(body)) return textReply("Noted.");
      reached.resolve();
      await gate.promise;
      return textReply("late");
    });
    const platform = new TestPlatform();
    let running = await startTestGateway({ platform, patch: small(server.baseUrl) });
    await converse(platform, 6);
    await platform.say(platform.message(long("word-6")));
    await reached.promise;
    await running.stop();
    gate.resolve();
    const sent = platform.sent.length;
    play(server, () => textReply("Wanted: words."));
    running = await startTestGateway({ platform, patch: small(server.baseUrl), home: running.home });
    await running.gateway.engine.idle();
    expect(platform.sent.length).toBe(sent + 1);
    const { requests } = await listContextRequests({ sessionKey: "agent:main:main", limit: 200 }, running.gateway.engine.parts);
    expect(requests.filter(({ kind }) => kind === "compaction").map(({ outcome }) => outcome.type)).toEqual(["answered", "failed"]);
    expect((await running.store.readSession("agent:main:main"))?.compactionCount).toBe(1);
    await running[Symbol.asyncDispose]();
  });

  test("is compacted when the provider rejects it as too long despite the estimate, and the turn continues", async () => {
    await using server = await startAnthropicServer();
    let refused = false;
    server.respond(({ body }) => {
      if (isSummary(body)) return textReply("Known: word-0.");
      const last = JSON.stringify(body).includes("word-3");
      if (!last || refused) return textReply("Noted.");
      refused = true;
      return { type: "error", errorType: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" };
    });
    const platform = new TestPlatform();
    await using _running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    await converse(platform, 4);
    expect(platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""))).toEqual([
      "Noted.",
      "Noted.",
      "Noted.",
      "Noted.",
    ]);
    const last = JSON.stringify(server.requests.at(-1)?.body);
    expect(last.includes("Known: word-0.")).toBe(true);
    expect(last.includes("word-3")).toBe(true);
    expect(server.violations).toEqual([]);
  });

  test("is compacted after a refused request only once the turn has its place again", async () => {
    await using server = await startAnthropicServer();
    const platform = new TestPlatform();
    await using running = await startTestGateway({
      platform,
      accountConfig: { allowFrom: ["ann"] },
      patch: (config) => {
        const base = withModel(server.baseUrl)(config);
        return { ...base, maxConcurrent: 1, session: { ...base.session, dmScope: "per-channel-peer" } };
      },
    });
    let [open, most] = [0, 0];
    server.respond(async ({ body }) => {
      open += 1;
      most = Math.max(most, open);
      const sent = JSON.stringify(body);
      // Any work that continues without a place gets time to send its request.
      if (sent.includes("and I?")) for (let reads = 0; reads < 300; reads += 1) await running.store.readSession("agent:main:main");
      open -= 1;
      if (isSummary(body)) return textReply("Known: word-0.");
      const isTooLong = sent.includes("word-3") && !sent.includes("Known: word-0.");
      return isTooLong
        ? { type: "error", errorType: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" }
        : textReply("Noted.");
    });
    await converse(platform, 3);
    for (let count = 0; count < 3; count += 1) await server.nextRequest();
    const held = server.hold();
    await platform.say(platform.message(long("word-3")));
    await server.nextRequest();
    const origin = { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-ann" } } as const;
    await platform.say(platform.message("and I?", { origin, sender: { id: "ann", isBot: false } }));
    held.open();
    await running.gateway.engine.idle();
    const kinds = server.requests.map(({ body }) =>
      isSummary(body) ? "summary" : JSON.stringify(body).includes("and I?") ? "ann" : "owner",
    );
    expect(kinds.slice(3)).toEqual(["owner", "ann", "summary", "owner"]);
    expect(most).toBe(1);
  });

  test("a request that cannot be repaired because its model is no longer configured is reported as a failure", async () => {
    await using server = await startAnthropicServer();
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    server.respond(async () => {
      const { config } = running.gateway.engine.parts.running;
      const agents = config.agents.map((agent) => ({ ...agent, model: { primary: "nowhere/nothing", fallbacks: [] } }));
      await running.gateway.reload(running.settings({ ...config, agents }));
      return { type: "error", errorType: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" };
    });
    await platform.say(platform.message("hello"));
    await platform.waitForSends(1);
    await running.gateway.engine.idle();
    expect(platform.sent).toMatchObject([{ outbound: { text: expect.stringContaining("nowhere/nothing") } }]);
  });

  test("a store failure while a request is repaired during a stop does not end the turn", async () => {
    await using server = await startAnthropicServer();
    const platform = new TestPlatform();
    const reached = Promise.withResolvers<void>();
    const broken = Promise.withResolvers<never>();
    let isRefused = false;
    const around = withMethods((store) => ({
      readSession: async (key) => {
        if (!isRefused) return store.readSession(key);
        isRefused = false;
        reached.resolve();
        return broken.promise;
      },
    }));
    const first = await startTestGateway({ platform, patch: withModel(server.baseUrl), around });
    server.respond(() => {
      isRefused = true;
      return { type: "error", errorType: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" };
    });
    await platform.say(platform.message("hello"));
    await reached.promise;
    const stopped = first.stop();
    await new Promise(setImmediate);
    broken.reject(new StoreError("internal", "The disk could not be read."));
    await stopped;
    expect(first.logger.lines.join("\n")).toMatch(/A turn could not be finished.*The disk could not be read/);
    server.respond(() => textReply("Noted."));
    await using second = await startTestGateway({ platform, patch: withModel(server.baseUrl), home: first.home });
    await second.gateway.engine.idle();
    expect(platform.sent).toMatchObject([{ outbound: { text: "Noted." } }]);
  });

  test("is truncated within a turn that is too large by itself, keeping the question and the findings", async () => {
    await using server = await startAnthropicServer();
    server.script([
      toolReply({ name: "ls", input: {} }),
      { type: "error", errorType: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" },
      textReply("Noted."),
    ]);
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, patch: small(server.baseUrl) });
    await platform.say(platform.message(`Where is the key? ${"lorem ipsum ".repeat(4000)}`));
    await platform.waitForSends(1);
    await running.gateway.engine.idle();
    expect((await running.store.readSession("agent:main:main"))?.compactionCount).toBe(1);
    const last = JSON.stringify(server.requests.at(-1)?.body?.["messages"]);
    expect(last).toContain("Where is the key?");
    expect(last).toContain(String.raw`\"role\":\"result\",\"tool\":\"ls\"`);
    expect(server.violations).toEqual([]);
  });

  test("is compacted although a heartbeat does not fit, and keeps what the model was asked", async () => {
    await using server = await startAnthropicServer();
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, patch: small(server.baseUrl) });
    server.respond(({ body, index }) => {
      if (isSummary(body)) return textReply("Known: words.");
      if (index !== 1) return textReply("Noted.");
      return { type: "error", errorType: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" };
    });
    await platform.say(platform.message(`hello ${"lorem ipsum ".repeat(2700)}`));
    await running.gateway.engine.idle();
    await running.gateway.engine.submit(platform.message("Look after the garden."), {
      owner: true,
      kind: "heartbeat",
      sessionKey: "agent:main:main",
    });
    await running.gateway.engine.idle();
    expect((await running.store.readSession("agent:main:main"))?.compactionCount).toBe(1);
    expect(JSON.stringify(server.requests.at(-1)?.body?.["messages"])).toContain("Look after the garden.");
    expect(server.violations).toEqual([]);
  });

  test("is compacted on request, following the person's instructions", async () => {
    await using server = await startAnthropicServer();
    play(server, () => textReply("Known: word-0 and word-1."));
    const platform = new TestPlatform();
    await using _running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    await platform.say(platform.message("/compact"));
    await platform.waitForSends(1);
    await converse(platform, 2);
    await platform.say(platform.message("/compact keep the words"));
    await platform.waitForSends(4);
    expect(platform.sent.at(0)).toMatchObject({ outbound: { text: "There is nothing to summarise yet." } });
    expect(platform.sent.at(-1)).toMatchObject({ outbound: { text: "Older messages are summarised now." } });
    expect(JSON.stringify(server.requests.at(-1)?.body).includes("keep the words")).toBe(true);
    await converse(platform, 1, 2);
    expect(JSON.stringify(server.requests.at(-1)?.body).includes("Known: word-0 and word-1.")).toBe(true);
  });
});
