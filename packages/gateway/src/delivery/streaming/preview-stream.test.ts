import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock } from "@factotum/agent-contract";
import type { Channel, SendReceipt } from "@factotum/channel-contract";
import type { AccountConfig } from "@factotum/config";
import { createGate, startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicReply, AnthropicServer, Gate } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { realClock, startTestGateway, TestPlatform, withModel } from "../../../test/gateway-harness.ts";
import type { TestGateway } from "../../../test/gateway-harness.ts";

const TEXT = Array.from({ length: 40 }, (_, index) => `Line ${index} of the answer.`).join("\n");
const EDITS: Partial<Channel["capabilities"]> = { edit: true, delete: true, streaming: "edit" };

/** A clock whose intervals take no time. */
const quickClock: Clock = { ...realClock, schedule: (delayMs, callback) => realClock.schedule(delayMs < 5_000 ? 1 : delayMs, callback) };

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform("platform", EDITS);
});
afterEach(() => server[Symbol.asyncDispose]());

const start = (account: Partial<AccountConfig> = { streaming: { mode: "partial" } }, home?: string): Promise<TestGateway> =>
  startTestGateway({
    platform,
    clock: quickClock,
    accountConfig: account,
    patch: withModel(server.baseUrl),
    ...withoutUndefined({ home }),
  });

/** An answer that pauses in the middle until the gate opens. */
const halting = (text: string, until: Gate, afterBytes = 4_000): AnthropicReply => ({
  type: "message",
  content: [{ type: "text", text }],
  deltaCharacters: 9,
  fault: { type: "stall", afterBytes, until },
});
const withTool = (text: string): AnthropicReply => ({
  type: "message",
  content: [
    { type: "text", text },
    { type: "tool_use", name: "ls", input: { path: "." } },
  ],
});

/** The chat as a person sees it, oldest message first. */
function chat(): string[] {
  const messages = new Map<string, string>();
  for (const [index, { outbound, idempotencyKey: _key }] of platform.sent.entries()) {
    if (outbound.type === "text") messages.set(`sent-${index}`, outbound.text);
    if (outbound.type === "edit") messages.set(outbound.targetId, outbound.text);
    if (outbound.type === "delete") messages.delete(outbound.targetId);
  }
  return [...messages.values()];
}
const kinds = (): string[] => platform.sent.map(({ outbound }) => outbound.type);

async function turns(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe("a preview", () => {
  test("is one message that grows and becomes the final text", async () => {
    const gate = createGate();
    server.script([halting(TEXT, gate)]);
    await using running = await start();
    await platform.say(platform.message("hi"));
    await platform.waitForSends(1);
    while (!(chat()[0] ?? "").includes("Line 2 ")) await turns();
    const [part = ""] = chat();
    expect(TEXT.startsWith(part)).toBe(true);
    expect(part.length).toBeLessThan(TEXT.length);
    gate.open();
    await running.gateway.engine.idle();
    expect(chat()).toEqual([TEXT]);
    expect(kinds().filter((kind) => kind === "text")).toHaveLength(1);
    expect(platform.sent[0]?.outbound).toMatchObject({ replyTo: "message-1" });
  });

  test.each<[string, Partial<Channel["capabilities"]>, Partial<AccountConfig>]>([
    ["it is not configured", EDITS, {}],
    ["it is off", EDITS, { streaming: { mode: "off" } }],
    ["the channel cannot edit", {}, { streaming: { mode: "partial" } }],
    ["the channel does not support previews", { edit: true }, { streaming: { mode: "partial" } }],
  ])("is off when %s", async (_name, capabilities, account) => {
    platform = new TestPlatform("platform", capabilities);
    server.script([{ type: "message", content: [{ type: "text", text: TEXT }], deltaCharacters: 2 }]);
    await using running = await start(account);
    await platform.say(platform.message("hi"));
    await running.gateway.engine.idle();
    expect(kinds()).toEqual(["text"]);
  });

  test("takes the sends that its account's rate leaves over, and the answer the last one", async () => {
    const gate = createGate();
    platform = new TestPlatform("platform", { ...EDITS, limits: { sendRate: { count: 2, perMs: 3_600_000 } } });
    server.script([halting(TEXT, gate)]);
    await using running = await start();
    await platform.say(platform.message("hi"));
    await platform.waitForSends(1);
    for (let count = 0; count < 50; count += 1) await turns();
    gate.open();
    await running.gateway.engine.idle();
    expect(kinds()).toEqual(["text", "edit"]);
    expect(chat()).toEqual([TEXT]);
  });

  test("of a text that is too long for one message continues in further ones", async () => {
    const gate = createGate();
    const long = Array.from({ length: 400 }, (_, index) => `Line ${index} of a long answer.`).join("\n");
    server.script([halting(long, gate)]);
    await using running = await start();
    await platform.say(platform.message("hi"));
    await platform.waitForSends(1);
    gate.open();
    await running.gateway.engine.idle();
    expect(chat().length).toBeGreaterThan(2);
    expect(chat().join("\n")).toBe(long);
  });

  test("shows running tools, and is replaced by the answer", async () => {
    server.script([withTool("I look."), withTool("And again."), textReply("Done.")]);
    const gate = server.hold();
    await using running = await start({ streaming: { mode: "progress" } });
    await platform.say(platform.message("hi"));
    await server.nextRequest();
    gate.open();
    await running.gateway.engine.idle();
    expect(chat()).toEqual(["Done."]);
    for (const { outbound } of platform.sent.slice(0, -1)) expect(outbound).toMatchObject({ text: expect.stringMatching(/^• ls: \./) });
  });

  test("hides silent tokens, tags and file lines, in any chunks", async () => {
    const text = "[[reply_to_current]] Hello there.\nMEDIA:/etc/passwd\n[[reply_to:x]] Bye.";
    const quiet = (reply: string): AnthropicReply => ({ type: "message", content: [{ type: "text", text: reply }], deltaCharacters: 1 });
    server.script([quiet("NO_REPLY"), quiet(text)]);
    await using running = await start();
    await platform.say(platform.message("hi"));
    await running.gateway.engine.idle();
    expect(platform.sent).toEqual([]);
    await platform.say(platform.message("and now"));
    await running.gateway.engine.idle();
    expect(JSON.stringify(platform.sent.map(({ outbound }) => outbound))).not.toMatch(/MEDIA|reply_to|etc\/passwd/);
    expect(chat()[0]).toContain("Bye.");
  });

  test("is removed when the answer is silent", async () => {
    const gate = createGate();
    server.script([
      { ...withTool(TEXT), fault: { type: "stall", afterBytes: 4_000, until: gate } } as AnthropicReply,
      textReply("NO_REPLY"),
    ]);
    await using running = await start();
    await platform.say(platform.message("hi"));
    await platform.waitForSends(1);
    gate.open();
    await running.gateway.engine.idle();
    expect(kinds().at(-1)).toBe("delete");
    expect(chat()).toEqual([]);
  });

  test("changes no more after /stop", async () => {
    const gate = createGate();
    server.script([halting(TEXT, gate)]);
    await using running = await start();
    await platform.say(platform.message("hi"));
    await platform.waitForSends(1);
    await platform.say(platform.message("/stop"));
    gate.open();
    await running.gateway.engine.idle();
    const [part = "", ...others] = chat();
    expect(part.length).toBeLessThan(TEXT.length);
    expect(TEXT.startsWith(part)).toBe(true);
    expect(others.join()).not.toContain("Line");
  });

  test("is not shown if the send policy denies everything", async () => {
    server.script([textReply("Hello."), { type: "message", content: [{ type: "text", text: TEXT }], deltaCharacters: 2 }]);
    await using running = await start();
    await platform.say(platform.message("hi"));
    await running.gateway.engine.idle();
    await running.store.patchSession("agent:main:main", { overrides: { sendPolicy: "deny" } }, { nowMs: 1 });
    const before = platform.sent.length;
    await platform.say(platform.message("more"));
    await running.gateway.engine.idle();
    expect(platform.sent.slice(before)).toEqual([]);
  });
});

describe("failing edits", () => {
  const no = (code: "rejected" | "not-found" | "forbidden"): SendReceipt => ({ type: "rejected", code, retry: { type: "never" } });

  /** Previews succeed until the answer is complete; then edits get this receipt. */
  async function answered(receipt: SendReceipt): Promise<TestGateway> {
    const gate = createGate();
    server.script([halting(TEXT, gate)]);
    const running = await start();
    await platform.say(platform.message("hi"));
    await platform.waitForSends(1);
    platform.answer = (outbound) => (outbound.type === "edit" ? receipt : undefined);
    gate.open();
    await running.gateway.engine.idle();
    return running;
  }

  test.each(["rejected", "forbidden"] as const)(
    "a message that cannot be edited (%s) keeps its text, and a new one has the rest",
    async (code) => {
      await using running = await answered(no(code));
      expect(kinds().filter((kind) => kind === "text").length).toBe(2);
      expect(chat().join("").replaceAll(/\s+/g, "")).toBe(TEXT.replaceAll(/\s+/g, ""));
      expect((await running.store.listDeadLetters({ limit: 5 })).items).toEqual([]);
    },
  );

  test("of a deleted message are replaced by a new message with everything", async () => {
    await using _running = await answered(no("not-found"));
    expect(chat().at(-1)).toBe(TEXT);
  });

  test("a platform that defers edits slows the preview down, and not the final text", async () => {
    const gate = createGate();
    server.script([halting(TEXT, gate)]);
    await using running = await start();
    let isOver = false;
    platform.answer = (outbound) =>
      outbound.type === "edit" && !isOver && !outbound.text.includes("Line 39")
        ? { type: "rejected", code: "rate-limited", retry: { type: "after", delayMs: 3_600_000 } }
        : undefined;
    await platform.say(platform.message("hi"));
    await platform.waitForSends(1);
    gate.open();
    await running.gateway.engine.idle();
    isOver = true;
    expect(chat()).toEqual([TEXT]);
  });

  test.each<[string, SendReceipt, readonly string[]]>([
    ["that is rejected does not affect the answer", no("rejected"), ["text"]],
    ["whose send is ambiguous is found by its key", { type: "ambiguous", cause: "no answer" }, ["text", "edit"]],
  ])("a preview %s", async (_name, receipt, sent) => {
    let count = 0;
    platform.answer = () => (count++ === 0 ? receipt : undefined);
    const gate = createGate();
    server.script([halting(TEXT, gate)]);
    await using running = await start();
    await platform.say(platform.message("hi"));
    while (count === 0) await turns();
    gate.open();
    await running.gateway.engine.idle();
    expect(kinds()).toEqual(sent);
    expect(chat()).toEqual([TEXT]);
    expect((await running.store.listDeadLetters({ limit: 5 })).items).toEqual([]);
  });
});

test("a failed turn reports the failure in the message that showed running tools", async () => {
  const refusal: AnthropicReply = { type: "error", errorType: "authentication_error", message: "invalid x-api-key" };
  server.script([withTool("I look."), refusal]);
  await using running = await start({ streaming: { mode: "progress" } });
  await platform.say(platform.message("hi"));
  await server.nextRequest();
  const gate = server.hold();
  await platform.waitForSends(1);
  gate.open();
  await running.gateway.engine.idle();
  expect(chat()).toEqual([expect.stringContaining("refused the key")]);
});

/** Simulates several crashes of the process during the turn. */
function crashOftenIn(home: string): void {
  const database = new DatabaseSync(path.join(home, "state", "factotum.sqlite"));
  database.exec("UPDATE turns SET attempts = 4 WHERE state = 'running'");
  database.close();
}

describe("a process that ends in the middle of an answer", () => {
  test("a turn that is given up reports it in the message that showed running tools", async () => {
    server.script([withTool("I look.")]);
    server.respond(() => textReply("Never said."));
    const first = await start({ streaming: { mode: "progress" } });
    await platform.say(platform.message("hi"));
    await server.nextRequest();
    const gate = server.hold();
    while ((chat()[0] ?? "") !== "• ls: .") await turns();
    await server.nextRequest();
    const home = await mkdtemp(path.join(tmpdir(), "factotum-killed-"));
    await cp(first.home, home, { recursive: true });
    crashOftenIn(home);
    const second = await start({ streaming: { mode: "progress" } }, home);
    await second.gateway.engine.idle();
    await second.stop();
    gate.open();
    await first[Symbol.asyncDispose]();
    await rm(home, { recursive: true, force: true });
    expect(chat()).toEqual([expect.not.stringContaining("• ls")]);
  });

  test.each(["stopped", "killed"])("%s: the existing message gets the final text", async (how) => {
    const gate = createGate();
    server.script([halting(TEXT, gate)]);
    const first = await start();
    await platform.say(platform.message("hi"));
    while (!(chat()[0] ?? "").includes("Line 2 ")) await turns();
    const home = how === "killed" ? await mkdtemp(path.join(tmpdir(), "factotum-killed-")) : first.home;
    if (how === "killed") await cp(first.home, home, { recursive: true });
    else await first.stop();
    server.respond(() => textReply(TEXT));
    const second = await start(undefined, home);
    while (!(chat()[0] ?? "").includes("Line 39")) await turns();
    await second.gateway.engine.idle();
    await second.stop();
    gate.open();
    if (how === "killed") await first[Symbol.asyncDispose]();
    await rm(home, { recursive: true, force: true });
    expect(chat()).toEqual([TEXT]);
  });
});
