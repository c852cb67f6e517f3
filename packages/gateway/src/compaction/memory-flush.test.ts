import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { FactotumConfig } from "@factotum/config";
import { isPrefixOf, startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicReply, AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import type { HookSource } from "../hooks/hook-source.ts";
import { listContextRequests } from "../requests/list-context-requests.ts";

const SESSION = "agent:main:main";

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
});
afterEach(() => server[Symbol.asyncDispose]());

/** A small window, so that a few long messages fill it. */
function small(change: Partial<FactotumConfig["agents"][number]["compaction"]> = {}): (config: FactotumConfig) => FactotumConfig {
  return (config) => {
    const base = withModel(server.baseUrl)(config);
    const anthropic = base.models.providers["anthropic"];
    if (anthropic === undefined) throw new Error("no provider");
    return {
      ...base,
      agents: base.agents.map((agent) => ({ ...agent, compaction: { ...agent.compaction, ...change } })),
      models: {
        ...base.models,
        providers: { anthropic: { ...anthropic, models: [{ id: "claude-sonnet-5-5", contextWindow: 20_000, maxOutput: 1000 }] } },
      },
    };
  };
}

const textOf = (body: unknown): string => JSON.stringify(body);
const isSummary = (body: unknown): boolean => textOf(body).includes("You condense the record of a conversation");
/** True if the last instruction is a flush. */
const isFlush = (body: unknown): boolean => {
  const messages = (body as { readonly messages?: readonly { readonly role: string; readonly content: unknown }[] } | undefined)?.messages;
  const last = messages?.findLast(({ role, content }) => role === "user" && !textOf(content).includes("tool_result"));
  return textOf(last ?? "").includes('\\"run\\":\\"memory\\"');
};
const long = (word: string): string => `${word} ${"lorem ipsum ".repeat(700)}`;
const notesName = (body: unknown): string => /memory\/\d{4}-\d\d-\d\d\.md/.exec(textOf(body))?.[0] ?? "";

function play(flush: (body: unknown) => AnthropicReply): void {
  server.respond(({ body }) => {
    if (isSummary(body)) return textReply("Known: words.");
    return isFlush(body) ? flush(body) : textReply("Noted.");
  });
}

/** Takes notes: writes its text, then ends silently. */
const takeNotes =
  (content: string) =>
  (body: unknown): AnthropicReply =>
    textOf((body as { readonly messages: readonly unknown[] }).messages.at(-1)).includes("tool_result")
      ? textReply("NO_REPLY")
      : toolReply({ name: "write", input: { path: notesName(body), content } });

/** Answers every call with a question to the owner. */
const asking: HookSource = {
  owner: "plugin rule",
  trusted: true,
  hooks: [{ name: "before_tool_call", priority: 0 }],
  call: async () => ({ ask: "Files are private." }),
};

async function converse(running: TestGateway, count: number, from = 0): Promise<void> {
  for (let index = from; index < from + count; index += 1) {
    await platform.say(platform.message(long(`word-${index}`)));
    await running.gateway.engine.idle();
  }
}

const kinds = (): readonly string[] =>
  server.requests.map(({ body }) => (isSummary(body) ? "summary" : isFlush(body) ? "flush" : "turn")).filter((kind) => kind !== "turn");
const workspaceOf = (running: TestGateway): string => running.gateway.engine.parts.running.agents.default.config.workspace;
const said = (): readonly string[] => platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));

describe("the notes before a conversation is summarised", () => {
  test("are written once per summary, before it, and are not visible to anyone", async () => {
    play(takeNotes("- word-0 was said first"));
    await using running = await startTestGateway({ platform, patch: small() });
    await converse(running, 6);
    expect(kinds()).toEqual(["flush", "flush", "summary"]);
    expect(said()).toEqual(Array.from({ length: 6 }, () => "Noted."));
    const flush = server.requests.findIndex(({ body }) => isFlush(body));
    const { body } = server.requests[flush] ?? {};
    expect(isPrefixOf(server.requests[flush - 1]?.body ?? {}, body ?? {})).toBe(true);
    expect(textOf(server.requests.at(-1)?.body)).not.toContain(notesName(body));
    expect(await readFile(path.join(workspaceOf(running), notesName(body)), "utf8")).toBe("- word-0 was said first");
    const { requests } = await listContextRequests({ sessionKey: SESSION, limit: 100 }, running.gateway.engine.parts);
    expect(requests.filter(({ kind }) => kind === "memory")).toHaveLength(2);
    const day = (time: number): string => running.gateway.engine.parts.running.agents.default.time.day(time);
    const spent = await running.store.readSpend(day(Date.now()), "main");
    expect(spent.find(({ cause }) => cause === "memory")?.calls).toBe(2);
    // The next cycle has its own notes.
    const before = kinds().length;
    await converse(running, 8, 6);
    expect(
      kinds()
        .slice(before)
        .filter((kind) => kind === "summary").length,
    ).toBeGreaterThanOrEqual(1);
    expect(kinds().slice(before)).toContain("flush");
    expect(server.violations).toEqual([]);
  });

  test("are not written against a rule that asks, since the owner is not there to answer", async () => {
    play(takeNotes("- word-0 was said first"));
    await using running = await startTestGateway({ platform, patch: small(), hookSources: () => [asking] });
    await converse(running, 6);
    const flush = server.requests.findIndex(({ body }) => isFlush(body));
    expect(textOf(server.requests[flush + 1]?.body)).toContain("write was not run. Rule of the plugin rule: Files are private.");
    expect(said()).toEqual(Array.from({ length: 6 }, () => "Noted."));
    const notes = path.join(workspaceOf(running), notesName(server.requests[flush]?.body));
    await expect(readFile(notes, "utf8")).rejects.toThrow("ENOENT");
  });

  test("can be extended and never lost, whatever the model tries", async () => {
    const wishes = [
      { name: "write", input: { path: "PLACE", content: "all new" } },
      { name: "edit", input: { path: "PLACE", edits: [{ oldText: "- old", newText: "" }] } },
      { name: "write", input: { path: "AGENTS.md", content: "obey" } },
      { name: "write", input: { file_path: "PLACE", content: "- old\nx" } },
      { name: "exec", input: { command: "rm -r memory" } },
      { name: "message", input: { action: "send", message: "psst" } },
      { name: "edit", input: { path: "./PLACE", edits: [{ oldText: "- old", newText: "- old\n- new" }] } },
      { name: "read", input: { path: "PLACE" } },
    ];
    play((body) => {
      const asked = (body as { readonly messages: readonly unknown[] }).messages.at(-1);
      if (textOf(asked).includes("tool_result")) return textReply("NO_REPLY");
      const place = notesName(body);
      return toolReply(
        ...wishes.map(({ name, input }) => ({ name, input: JSON.parse(textOf(input).replace("PLACE", place)) as typeof input })),
      );
    });
    await using running = await startTestGateway({ platform, patch: small() });
    await converse(running, 1);
    const day = running.gateway.engine.parts.running.agents.default.time.day(Date.now());
    const notes = path.join(workspaceOf(running), "memory", `${day}.md`);
    await mkdir(path.dirname(notes), { recursive: true });
    await writeFile(notes, "- old\n");
    await converse(running, 5, 1);
    const results = server.requests.flatMap(({ body }) => {
      const last = (body?.["messages"] as readonly { readonly content: unknown }[] | undefined)?.at(-1)?.content;
      return Array.isArray(last) ? (last as { type: string; is_error?: boolean }[]).filter(({ type }) => type === "tool_result") : [];
    });
    expect(results.map(({ is_error: isError }) => isError === true)).toEqual([true, true, true, true, true, true, false, false]);
    expect(await readFile(notes, "utf8")).toBe("- old\n- new\n");
    expect(said().every((text) => text === "Noted.")).toBe(true);
  });

  test("delay no one if they fail: the conversation is summarised, every message answered", async () => {
    play(() => ({ type: "error", errorType: "api_error", message: "no", headers: { "retry-after": "60" } }));
    await using running = await startTestGateway({ platform, patch: small() });
    await converse(running, 7);
    expect(kinds().filter((kind) => kind === "flush").length).toBeGreaterThanOrEqual(1);
    expect(kinds()).toContain("summary");
    expect(said()).toEqual(Array.from({ length: 7 }, () => "Noted."));
  });

  test("are resumed after a restart, and not started again", async () => {
    play(takeNotes("- kept"));
    let running = await startTestGateway({ platform, patch: small() });
    const gate = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    server.respond(async ({ body }) => {
      if (!isFlush(body)) return textReply("Noted.");
      reached.resolve();
      await gate.promise;
      return textReply("NO_REPLY");
    });
    let index = 0;
    const conversation = (async () => {
      for (; index < 12; index += 1) {
        await platform.say(platform.message(long(`word-${index}`)));
        await running.gateway.engine.idle();
      }
    })();
    await reached.promise;
    index = 12;
    await running.stop();
    gate.resolve();
    await conversation;
    play(takeNotes("- kept"));
    running = await startTestGateway({ platform, patch: small(), home: running.home });
    await running.gateway.engine.idle();
    expect(new Set(said())).toEqual(new Set(["Noted."]));
    const sessionId = (await running.store.readSession(SESSION))?.sessionId ?? "";
    const { items } = await running.store.readTranscript(sessionId, { limit: 200 });
    const polls = items.filter(
      (entry) => entry.type === "message" && entry.message.role === "user" && entry.message.parts?.run === "memory",
    );
    expect(polls).toHaveLength(1);
    expect(await readFile(path.join(workspaceOf(running), notesName(polls)), "utf8")).toBe("- kept");
    await running[Symbol.asyncDispose]();
  });

  test("are not taken if disabled by the configuration", async () => {
    play(() => textReply("NO_REPLY"));
    await using running = await startTestGateway({ platform, patch: small({ memoryFlush: false }) });
    await converse(running, 6);
    expect(kinds()).toEqual(["summary"]);
  });

  const GROUP = { origin: { channel: "test", accountId: "default", conversation: { kind: "group" as const, id: "group-1" } } };
  const denying =
    (...deny: string[]) =>
    (config: FactotumConfig): FactotumConfig => ({ ...config, tools: { ...config.tools, deny } });
  const boxed = (config: FactotumConfig): FactotumConfig => ({
    ...config,
    agents: config.agents.map((agent) => ({ ...agent, sandbox: { ...agent.sandbox, mode: "all" } })),
  });
  const same = (config: FactotumConfig): FactotumConfig => config;

  test.each([
    ["are taken in private", {}, same, ["flush", "summary"]],
    ["are taken if only one tool writes", {}, denying("edit", "exec"), ["flush", "summary"]],
    ["are not taken in a group, whose members would read them", GROUP, same, ["summary"]],
    ["are not taken if no tool writes", {}, denying("write", "edit"), ["summary"]],
    ["are not taken if tools work in another folder than the agent's", {}, boxed, ["summary"]],
  ] as const)("%s", async (_name, extra, change, expected) => {
    play(() => textReply("NO_REPLY"));
    await using running = await startTestGateway({
      platform,
      patch: (config) => change(withModel(server.baseUrl)(config)),
      accountConfig: { groupPolicy: "open", groups: { "*": { requireMention: false } } },
    });
    for (const text of [long("one"), long("two"), "/compact"]) {
      await platform.say(platform.message(text, extra));
      await running.gateway.engine.idle();
    }
    expect(kinds()).toEqual(expected);
    expect(said().at(-1)).toBe("Older messages are summarised now.");
  });

  test("are written before a summary that a person requests", async () => {
    play(takeNotes("- asked"));
    await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    await converse(running, 2);
    await platform.say(platform.message("/compact"));
    await running.gateway.engine.idle();
    expect(kinds()).toEqual(["flush", "flush", "summary"]);
    expect(said().at(-1)).toBe("Older messages are summarised now.");
  });

  test("are not taken for a requested summary if there is nothing to summarise", async () => {
    play(takeNotes("- paid for nothing"));
    await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    await platform.say(platform.message("short"));
    await running.gateway.engine.idle();
    await platform.say(platform.message("/compact"));
    await running.gateway.engine.idle();
    expect(kinds()).toEqual([]);
    expect(said().at(-1)).toMatch(/nothing to summarise/);
  });
});
