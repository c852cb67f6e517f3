import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { messageId } from "@factotum/channel-contract";
import type { MsgContext } from "@factotum/channel-contract";
import type { FactotumConfig } from "@factotum/config";
import { parseEffectivePrompt, startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer, ParsedEffectivePrompt } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { withoutUndefined } from "@factotum/agent-contract";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const GROUP: MsgContext["origin"] = { channel: "test", accountId: "default", conversation: { kind: "group", id: "group-1" } };
/** A member who is not the owner. */
const EVE: MsgContext["sender"] = { id: "eve", name: "Eve", isBot: false };
const READERS = ["read", "exec", "find", "grep", "ls"];

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  server.respond(() => textReply("Yes."));
  platform = new TestPlatform();
});
afterEach(() => server[Symbol.asyncDispose]());

const start = ({ deny = [], ...account }: { readonly deny?: readonly string[]; readonly requireMention?: boolean } = {}) =>
  startTestGateway({
    platform,
    patch: (config: FactotumConfig) => {
      const base = withModel(server.baseUrl)(config);
      return { ...base, tools: { ...base.tools, deny } };
    },
    accountConfig: {
      dmPolicy: "open",
      allowFrom: ["*"],
      groupPolicy: "open",
      groups: { "*": { requireMention: account.requireMention ?? false } },
    },
  });

/** Sends a message and returns its text for the model. */
async function say(running: TestGateway, text: string, extra: Partial<MsgContext> = {}): Promise<ParsedEffectivePrompt> {
  await platform.say(platform.message(text, extra));
  await running.gateway.engine.idle();
  const messages = server.requests.at(-1)?.body?.["messages"] as {
    readonly role: string;
    readonly content: readonly { readonly type: string; readonly text?: string }[];
  }[];
  return parseEffectivePrompt(messages.findLast(({ role }) => role === "user")?.content.find(({ type }) => type === "text")?.text ?? "");
}

/** Everything between the trusted block and the body, by its title. */
const titles = ({ parts }: ParsedEffectivePrompt): readonly string[] =>
  parts.flatMap((part) => (part.type === "block" || part.type === "untrusted" ? [part.title] : []));
const valueOf = ({ untrusted }: ParsedEffectivePrompt, title: string): unknown => untrusted.find((block) => block.title === title)?.value;

describe("a plain message", () => {
  test("of the owner in private names sender and place, and omits what is absent", async () => {
    await using running = await start();
    const shown = await say(running, "hello");
    expect(shown.trusted).toMatchObject({ chat_type: "direct", is_group_chat: false, owner: true, run: "user", account: "default" });
    for (const absent of ["was_mentioned", "reply_to_id", "response_format"]) expect(shown.trusted).not.toHaveProperty(absent);
    expect(titles(shown)).toEqual(["Conversation info"]);
    expect(valueOf(shown, "Conversation info")).toEqual({ chat_id: "dm-1", sender_id: "owner-1", sender: "Olga" });
    expect(shown.attachments).toEqual([]);
    expect(shown.body).toBe("hello");
  });

  test.each([true, false])("of a group says whether it mentions the assistant: %s", async (mentionsBot) => {
    await using running = await start();
    const shown = await say(running, "hello", { origin: GROUP, sender: EVE, mentionsBot });
    expect(shown.trusted).toMatchObject({ chat_type: "group", is_group_chat: true, owner: false, was_mentioned: mentionsBot });
  });

  test("has no ids without a tool that uses them, and no name if the platform has none", async () => {
    await using running = await start({ deny: ["message"] });
    const named = await say(running, "hello", { sender: { id: "eve", name: "Eve", handle: "eve.b", isBot: false } });
    expect(valueOf(named, "Conversation info")).toEqual({ sender: "Eve" });
    expect(valueOf(named, "Sender")).toEqual({ label: "Eve", name: "Eve", username: "eve.b" });
    const nameless = await say(running, "hello", { sender: { id: "eve", handle: "eve.b", isBot: false } });
    expect(titles(nameless)).toEqual(["Sender"]);
    expect(valueOf(nameless, "Sender")).toEqual({ username: "eve.b" });
    expect(nameless.trusted["sender"]).toBe(named.trusted["sender"]);
  });

  test("has ids with that tool", async () => {
    await using running = await start();
    const shown = await say(running, "hello", { sender: { id: "eve", handle: "eve.b", isBot: false } });
    expect(valueOf(shown, "Conversation info")).toEqual({ chat_id: "dm-1", sender_id: "eve" });
    expect(valueOf(shown, "Sender")).toEqual({ id: "eve", username: "eve.b" });
  });
});

describe("context of a message", () => {
  test("is shown completely, and marked as text of others", async () => {
    await using running = await start();
    const shown = await say(running, "hello", {
      replyTo: { messageId: messageId("quoted-1"), body: "the quote", isQuote: true, sender: { name: "Quinn" } },
      thread: { starter: { sender: "Sam", body: "the start" }, history: [{ sender: "Hal", timestampMs: 5, body: "before" }] },
      forwarded: { from: "Fay", title: "News", body: "the news" },
      untrusted: [{ source: "preview", text: "a page" }],
    });
    expect(shown.trusted["reply_to_id"]).toBe("quoted-1");
    expect(titles(shown)).toEqual([
      "Thread history - for context",
      "Conversation info",
      "Replied message",
      "Thread starter",
      "Forwarded",
      "Further context",
    ]);
    expect(valueOf(shown, "Thread history - for context")).toEqual([{ sender: "Hal", timestamp_ms: 5, body: "before" }]);
    expect(valueOf(shown, "Replied message")).toEqual({ sender_label: "Quinn", is_quote: true, body: "the quote" });
    expect(valueOf(shown, "Thread starter")).toEqual({ body: "the start" });
    expect(valueOf(shown, "Forwarded")).toEqual({ from: "Fay", title: "News", body: "the news" });
    expect(shown.untrustedSuffix).toEqual([{ title: "Further context", value: [{ source: "preview", text: "a page" }] }]);
  });

  test.each([
    ["is shown for a reply to a message without text", { replyTo: { messageId: messageId("quoted-1"), body: "", isQuote: false } }],
    ["a thread of which nothing is known", { thread: { history: [] } }],
  ])("%s adds no block", async (_name, extra) => {
    await using running = await start();
    expect(titles(await say(running, "hello", extra))).toEqual(["Conversation info"]);
  });

  test("a quote without an id or a sender is a quote all the same", async () => {
    await using running = await start();
    const shown = await say(running, "hello", { replyTo: { body: "the quote", isQuote: false } });
    expect(shown.trusted).not.toHaveProperty("reply_to_id");
    expect(valueOf(shown, "Replied message")).toEqual({ is_quote: false, body: "the quote" });
  });
});

describe("a group's facts", () => {
  const group = { subject: "Plans", topic: "Summer", participants: ["Ann", "Ben"] };
  const info = (shown: ParsedEffectivePrompt): unknown => valueOf(shown, "Conversation info");
  const base = { chat_id: "group-1", sender_id: "eve", sender: "Eve" };

  test("are shown with the first message and when they change", async () => {
    await using running = await start();
    const told = (facts: MsgContext["group"]): Promise<ParsedEffectivePrompt> =>
      say(running, "hello", { origin: GROUP, sender: EVE, ...withoutUndefined({ group: facts }) });
    expect(info(await told(group))).toEqual({ ...base, group_subject: "Plans", topic: "Summer", participants: ["Ann", "Ben"] });
    expect(info(await told(group))).toEqual(base);
    expect(info(await told({ subject: "Trips" }))).toEqual({ ...base, group_subject: "Trips" });
    expect(info(await told({ topic: "Winter" }))).toEqual({ ...base, topic: "Winter" });
    expect(info(await told(undefined))).toEqual(base);
  });

  test("group messages before a mention are shown once, with the id of a sender without a name", async () => {
    await using running = await start({ requireMention: true });
    const nobody = { id: "u-7", isBot: false };
    await platform.say(platform.message("first", { origin: GROUP, sender: EVE, timestampMs: 1_000 }));
    await platform.say(platform.message("second", { origin: GROUP, sender: nobody, timestampMs: 2_000 }));
    const shown = await say(running, "hello", { origin: GROUP, sender: EVE, mentionsBot: true });
    expect(valueOf(shown, "Chat history since the last reply")).toEqual([
      { sender: "Eve", timestamp_ms: 1_000, body: "first" },
      { sender: "u-7", timestamp_ms: 2_000, body: "second" },
    ]);
    const next = await say(running, "and?", { origin: GROUP, sender: EVE, mentionsBot: true });
    expect(titles(next)).toEqual(["Conversation info"]);
  });
});

describe("attachments", () => {
  const image = () => platform.attachment(PNG, { mimeType: "image/png", fileName: "dot.png" });
  const notes = () => platform.attachment(Buffer.from("notes"), { kind: "file", mimeType: "text/plain", fileName: "notes.txt" });
  const gone = { kind: "file" as const, ref: "nowhere", fileName: "gone.txt" };
  const hint = (shown: ParsedEffectivePrompt): boolean => titles(shown).includes("Media reply hint");

  test("are named with a path that a tool can open, with a hint how to send a file back", async () => {
    await using running = await start();
    const shown = await say(running, "look", { attachments: [image(), notes(), gone] });
    expect(shown.attachments).toEqual([
      expect.stringMatching(/^media:\/\/inbound\/[0-9a-f]+ \(image\/png, dot\.png, file: \/.*\.png\)$/),
      expect.stringMatching(/^media:\/\/inbound\/[0-9a-f]+ \(text\/plain, notes\.txt, file: \/.*\.txt\)$/),
      "gone.txt (could not be fetched; if you need it, ask the user to send it again)",
    ]);
    expect(hint(shown)).toBe(true);
  });

  test("have no path if no tool opens files: an image is shown, a file is not, and the model is informed", async () => {
    await using running = await start({ deny: READERS });
    const shown = await say(running, "look", { attachments: [image(), notes(), gone] });
    expect(shown.attachments).toEqual([
      "dot.png (image/png)",
      "notes.txt (text/plain, not shown: this conversation has no tool that reads files)",
      "gone.txt (could not be fetched; if you need it, ask the user to send it again)",
    ]);
    expect(hint(shown)).toBe(false);
  });

  test("named in the owner's text keep their name if no tool opens files", async () => {
    await using running = await start({ deny: READERS });
    const workspace = path.join(running.home, "workspace");
    await mkdir(workspace, { recursive: true });
    await writeFile(path.join(workspace, "dot.png"), PNG);
    expect((await say(running, "look at ./dot.png")).attachments).toEqual(["dot.png (image/png)"]);
  });

  test("without text are described; blank text without any adds nothing", async () => {
    await using running = await start();
    expect((await say(running, " ", { attachments: [image()] })).body).toBe("[User sent media without caption]");
    expect((await say(running, "look", { attachments: [image()] })).body).toBe("look");
    expect((await say(running, " ")).body).toBe("");
  });

  test("of a client of the gateway's own need no hint about files, and no conversation is named", async () => {
    platform = new TestPlatform("session-key");
    await using running = await start();
    const shown = await say(running, "look", { attachments: [image()], sender: { ...EVE, id: "owner-1", handle: "eve.b" } });
    expect(shown.attachments).toHaveLength(1);
    expect(titles(shown)).toEqual([]);
  });
});

test("a task of the gateway's own has neither a sender nor a channel", async () => {
  await using running = await start();
  await say(running, "hello");
  const message = platform.message("Check the backups.", { replyTo: { body: "the quote", isQuote: false } });
  await running.gateway.engine.submit(message, { owner: true, kind: "cron", sessionKey: "agent:main:main" });
  await running.gateway.engine.idle();
  const messages = server.requests.at(-1)?.body?.["messages"] as { readonly content: readonly { readonly text?: string }[] }[];
  const shown = parseEffectivePrompt(messages.at(-1)?.content.at(-1)?.text ?? "");
  expect(shown.trusted).toEqual({
    schema: "factotum.inbound_meta.v1",
    delimiter: shown.delimiter,
    timestamp: expect.any(String),
    run: "cron",
  });
  expect(shown.parts.map(({ type }) => type)).toEqual(["trusted", "body"]);
  expect(shown.body).toBe("Check the backups.");
});
