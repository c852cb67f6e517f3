import type { ContextReport } from "@factotum/protocol";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";
import { buildContextReport } from "./build-context-report.ts";
import type { ReportQuery } from "./build-context-report.ts";
import { listContextRequests } from "./list-context-requests.ts";
import { replayRequest } from "./replay-request.ts";

const SESSION = "agent:main:main";

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
});
afterEach(() => server[Symbol.asyncDispose]());

const start = (options: Partial<Parameters<typeof startTestGateway>[0]> = {}): Promise<TestGateway> =>
  startTestGateway({ platform, patch: withModel(server.baseUrl), ...options });

async function say(running: TestGateway, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    await platform.say(platform.message(text));
    await running.gateway.engine.idle();
  }
}

const report = (running: TestGateway, query: Omit<ReportQuery, "sessionKey"> = {}): Promise<ContextReport> =>
  buildContextReport({ sessionKey: SESSION, ...query }, running.gateway.engine.parts);

const listAll = async (running: TestGateway): ReturnType<typeof listContextRequests> =>
  listContextRequests({ sessionKey: SESSION, limit: 200 }, running.gateway.engine.parts);

const partOf = (shown: ContextReport, type: string): ContextReport["parts"][number] | undefined =>
  shown.parts.find((part) => part.type === type);

describe("context reports", () => {
  test("every request of a turn is stored, with its cause, its usage and its five parts", async () => {
    server.script([toolReply({ name: "write", input: { path: "a.txt", content: "1" } }), textReply("Done."), textReply("Yes.")]);
    await using running = await start();
    await say(running, "write it", "and now?");
    const { requests } = await listAll(running);
    expect(requests.map(({ turn, request, causes, messages }) => [turn, request, causes, messages])).toEqual([
      [2, 1, [], 5],
      [1, 2, [], 3],
      [1, 1, ["new-session"], 1],
    ]);
    expect(requests[2]).toMatchObject({
      kind: "user",
      asked: "write it",
      model: "anthropic/claude-sonnet-5-5",
      credential: "models.providers.anthropic.apiKey",
      outcome: { type: "answered", stopReason: "toolUse" },
    });
    const read = server.requests.map(({ usage }) => [
      usage?.input_tokens,
      usage?.cache_creation_input_tokens,
      usage?.cache_read_input_tokens,
    ]);
    expect(requests.map(({ usage }) => [usage.input, usage.cacheWrite, usage.cacheRead]).toReversed()).toEqual(read);
    expect(requests.every(({ usage }) => usage.output > 0)).toBe(true);
    const shown = await report(running, { turn: 1, request: 2, texts: true });
    expect(shown).toMatchObject({ exact: true, prompt: { cause: "new-session" } });
    const body = server.requests[1]?.body ?? {};
    const system = partOf(shown, "system")?.sections.map(({ text }) => text) ?? [];
    for (const text of system) expect(JSON.stringify(body["system"])).toContain(JSON.stringify(text).slice(1, -1));
    expect(partOf(shown, "system")?.sections.map(({ id }) => id)).toEqual(expect.arrayContaining(["identity", "tooling", "runtime"]));
    expect(partOf(shown, "messages")?.sections.map(({ title }) => title)).toEqual(["Assistant", "Result of write"]);
    expect(partOf(shown, "prompt")?.sections.at(-1)).toMatchObject({ id: "body", text: "write it" });
    expect(partOf(shown, "tools")?.sections.map(({ id }) => id)).toEqual((body["tools"] as { name: string }[]).map(({ name }) => name));
    expect(shown.total.bytes).toBe(shown.parts.reduce((sum, { bytes }) => sum + bytes, 0));
  });

  test("costs no extra commit, and stores nothing for a turn that failed before its request", async () => {
    server.respond(() => textReply("Yes."));
    await using running = await start();
    await say(running, "one");
    const before = running.store.metrics().commits;
    await say(running, "two");
    // The input, the turn, the final commit, and the receipt of the reply.
    expect(running.store.metrics().commits - before).toBeLessThanOrEqual(5);
    expect((await listAll(running)).requests).toHaveLength(2);
  });

  test("a failed request is stored with the provider's error", async () => {
    server.script([{ type: "error", errorType: "authentication_error", message: "invalid x-api-key" }]);
    await using running = await start();
    await say(running, "hello");
    const { requests } = await listAll(running);
    expect(requests).toMatchObject([{ outcome: { type: "failed", code: "unauthorized" }, usage: { total: 0 } }]);
  });

  test("the diff shows that the prefix is unchanged, or why it changed", async () => {
    server.respond(() => textReply("Yes."));
    let running = await start();
    await say(running, "one", "two");
    expect((await report(running, { diff: "previous" })).diff).toMatchObject({
      turn: 1,
      prefixHeld: true,
      causes: [],
      changes: [{ part: "messages", type: "added", title: "Assistant" }],
    });
    await running.stop();
    const patched = withModel(server.baseUrl);
    running = await start({
      home: running.home,
      patch: (config) => {
        const base = patched(config);
        return { ...base, agents: base.agents.map((agent) => ({ ...agent, systemPrompt: "Answer in verse." })) };
      },
    });
    await say(running, "three", "four");
    const { diff, ...shown } = await report(running, { turn: 3, diff: 1, texts: true });
    expect(shown).toMatchObject({ exact: true, request: { causes: ["config-change"] } });
    expect(diff).toMatchObject({ turn: 1, prefixHeld: false, causes: ["config-change"], firstDifference: { part: "system" } });
    const lost = (await report(running, { turn: 3, diff: "previous" })).diff?.reread;
    expect(lost?.tokens).toBeGreaterThan(0);
    expect(lost?.costUsd).toBeGreaterThan(0);
    expect(diff?.changes).toContainEqual(expect.objectContaining({ part: "system", section: "instructions", type: "added" }));
    // Older turns were re-rendered at the cause, and stay so.
    expect(diff?.changes).toContainEqual(expect.objectContaining({ part: "messages", type: "changed", title: "Olga" }));
    expect((await report(running, { turn: 4, diff: "previous" })).diff).toMatchObject({ prefixHeld: true, causes: [] });
    expect((await report(running, { turn: 2 })).exact).toBe(true);
    await running[Symbol.asyncDispose]();
  });

  test("no report contains a secret from messages or answers", async () => {
    server.respond(() => textReply("Your key is sk-test-secret."));
    await using running = await start();
    await say(running, "my key is sk-test-secret, keep it", "again");
    const shown = JSON.stringify(await report(running, { texts: true, diff: "previous" }));
    expect(shown).toContain("my key is [hidden], keep it");
    expect(shown).not.toContain("sk-test-secret");
    expect((await report(running)).parts.flatMap(({ sections }) => sections.map(({ text }) => text))).not.toContainEqual(expect.anything());
  });

  test("/context answers with sizes, and with no text of the conversation", async () => {
    server.respond(() => textReply("A secret answer."));
    await using running = await start();
    await say(running, "/context", "a private question", "another", "/context", "/context detail", "/context list");
    const answers = platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));
    expect(answers).toHaveLength(6);
    expect(answers[0]).toContain("There is nothing to show yet");
    expect(answers[3]).toMatch(
      /turn 2, request 1, anthropic\/claude-sonnet-5-5\nAbout [\d,]+ of [\d,]+ tokens: system prompt [\d,]+, earlier/,
    );
    expect(answers[3]).toContain("It began with the request before, byte for byte.");
    expect(answers[3]).toBe(answers[5]);
    expect(answers[4]).toMatch(/- system prompt, Inbound Context: \d+ tokens/);
    for (const text of answers.slice(3)) expect(text).not.toMatch(/private question|secret answer|Olga/i);
    expect(server.requests).toHaveLength(2);
  });

  test("a missing request, turn or session is reported", async () => {
    await using running = await start();
    await expect(report(running)).rejects.toThrow("There is no session");
    server.respond(() => textReply("Yes."));
    await say(running, "one");
    await expect(report(running, { turn: 9 })).rejects.toThrow("no turn 9");
    await expect(report(running, { turn: "nothing" })).rejects.toThrow('no turn "nothing"');
    await expect(report(running, { turn: 1, request: 7 })).rejects.toThrow("requests 1 to 1");
    await expect(report(running, { id: "r0000000009" })).rejects.toThrow("no stored request");
    await running.store.maintain({ nowMs: Date.now() + 31 * 86_400_000 });
    await expect(report(running, { turn: 1 })).rejects.toThrow("kept no more");
  });
});

describe("replaying a stored request", () => {
  test("sends the same bytes, also after a restart, a named cause and an interrupted turn", async () => {
    server.script([
      toolReply({ name: "write", input: { path: "a.txt", content: "1", 10: "x", 9: "y" } }),
      textReply("看，完成了。"),
      toolReply({ name: "ls", input: {} }, { name: "read", input: { path: "a.txt" } }),
    ]);
    let running = await start();
    await say(running, "write it", "look");
    await running.stop();
    server.script([toolReply({ name: "write", input: { path: "b.txt", content: "2" } })]);
    const patched = withModel(server.baseUrl);
    const patch: typeof patched = (config) => {
      const base = patched(config);
      return { ...base, agents: base.agents.map((agent) => ({ ...agent, systemPrompt: "Answer in verse.", thinking: "low" as const })) };
    };
    running = await start({ home: running.home, patch });
    const count = server.requests.length;
    await platform.say(platform.message("third"));
    while (server.requests.length === count) await server.nextRequest();
    const gate = server.hold();
    await server.nextRequest();
    await running.stop();
    gate.open();
    server.respond(() => textReply("It is written."));
    running = await start({ home: running.home, patch });
    await running.gateway.engine.idle();
    await say(running, "fourth");

    const originals = server.requests.filter(({ ended }) => ended !== undefined);
    const { requests } = await listAll(running);
    expect(requests.length).toBeGreaterThan(6);
    // The requests on the wire when the gateway stopped, and the same after its start.
    const third = requests.filter(({ turn }) => turn === 3);
    expect(third.map(({ request, outcome }) => [request, outcome.type])).toEqual([
      [3, "answered"],
      [2, "failed"],
      [1, "answered"],
    ]);
    const { parts } = running.gateway.engine;
    const transcript = await running.store.readTranscript(
      requests[0] === undefined ? "" : ((await parts.store.readSession(SESSION))?.sessionId ?? ""),
      { limit: 200 },
    );
    for (const request of requests) {
      const before = server.requests.length;
      const result = await replayRequest({ sessionKey: SESSION, id: request.id }, parts, {
        signal: new AbortController().signal,
        onPiece: () => undefined,
      });
      expect(result.exact).toBe(true);
      const again = server.requests[before]?.bytes.toString();
      expect(originals.some(({ bytes }) => bytes.toString() === again)).toBe(true);
    }
    const replayed = new Set(server.requests.slice(originals.length).map(({ bytes }) => bytes.toString()));
    expect(replayed.size).toBe(requests.length - 1);
    expect((await running.store.readTranscript(transcript.items[0]?.sessionId ?? "", { limit: 200 })).items).toEqual(transcript.items);
    expect((await listAll(running)).requests).toHaveLength(requests.length);
    expect(server.violations).toEqual([]);
    await running[Symbol.asyncDispose]();
  });

  test("streams to the requesting client, runs no tool, and is charged as a person's call", async () => {
    server.script([textReply("First."), toolReply({ name: "write", input: { path: "never.txt", content: "1" } })]);
    await using running = await start();
    await say(running, "hello");
    const usage = (await running.store.readSession(SESSION))?.usage;
    const day = new Date().toLocaleDateString("sv");
    const spent = async (): Promise<number> => {
      const days = await Promise.all([day, new Date().toISOString().slice(0, 10)].map((one) => running.store.readSpend(one, "main")));
      return Math.max(...days.flat().map((row) => (row.cause === "user" ? row.calls : 0)));
    };
    expect(await spent()).toBe(1);
    using client = await TestClient.connect(running.gateway.url, running.token);
    const result = await client.call("context.replay", { sessionKey: SESSION, turn: 1, replayId: "mine" });
    expect(result).toMatchObject({
      exact: true,
      text: "",
      toolCalls: [{ name: "write", argumentsText: expect.stringContaining("never.txt") }],
    });
    expect(client.replays).toContainEqual({ replayId: "mine", block: "tool-call", text: "write" });
    await expect.poll(spent).toBe(2);
    expect((await running.store.readSession(SESSION))?.usage).toEqual(usage);
    server.respond(() => textReply("Now in words."));
    const words = await client.call("context.replay", { sessionKey: SESSION, replayId: "other" });
    expect(
      client.replays
        .filter(({ replayId, block }) => replayId === "other" && block === "text")
        .map(({ text }) => text)
        .join(""),
    ).toBe(words.text);
    expect(words.text).toBe("Now in words.");
  });

  test("goes to another model when asked, and reports that it differs", async () => {
    server.respond(() => textReply("Yes."));
    await using running = await start();
    await say(running, "hello");
    using client = await TestClient.connect(running.gateway.url, running.token);
    const result = await client.call("context.replay", { sessionKey: SESSION, model: "anthropic/claude-haiku-5", replayId: "x" });
    expect(result).toMatchObject({ model: "anthropic/claude-haiku-5", exact: false });
    expect(server.requests.at(-1)?.body?.["model"]).toBe("claude-haiku-5");
    expect(await client.callRaw("context.replay", { sessionKey: SESSION, model: "nowhere/x", replayId: "y" })).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("nowhere") },
    });
  });
});
