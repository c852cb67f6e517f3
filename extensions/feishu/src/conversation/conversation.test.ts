import { TestHost } from "@factotum/channel-conformance";
import { ACTIONS } from "@factotum/channel-contract";
import type { ActionName, Channel, Conversation, MessageId, Origin, Outbound } from "@factotum/channel-contract";
import { FakeFeishu, ManualClock } from "@factotum/testing-channels";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFeishuChannel } from "../index.ts";

const signal = new AbortController().signal;
let clock: ManualClock;
let feishu: FakeFeishu;
let channel: Channel;

beforeEach(async () => {
  clock = new ManualClock();
  feishu = await FakeFeishu.start({
    now: () => clock.now(),
    chatInfo: {
      oc_group: {
        name: "The group",
        description: "About gardens",
        ownerOpenId: "ou_alice",
        members: [
          { openId: "ou_alice", name: "Alice" },
          { openId: "ou_bob", name: "Bob" },
        ],
      },
    },
  });
  const { appId, appSecret } = feishu.app;
  channel = createFeishuChannel(
    { appId, appSecret, domain: "feishu", baseUrl: feishu.baseUrl, transport: { type: "websocket" } },
    new TestHost({ clock }),
  );
});
afterEach(async () => {
  await channel.stop({ signal: AbortSignal.abort() });
  await feishu[Symbol.asyncDispose]();
});

const at = (conversation: Partial<Conversation> = {}): Origin => ({
  channel: "feishu",
  accountId: "second",
  conversation: { kind: "group", id: "oc_group", ...conversation },
});
const id = (text: string): MessageId => text as MessageId;

/** A message of a person, a second after the one before. */
function say(messageId: string, text: string, extra: Partial<Parameters<FakeFeishu["addInbound"]>[0]> = {}): void {
  clock.advance(1_000);
  feishu.addInbound({ messageId, chatId: "oc_group", content: { text }, ...extra });
}
async function send(text: string, target = at()): Promise<MessageId> {
  clock.advance(1_000);
  const receipt = await channel.send(target, { type: "text", text }, { signal, idempotencyKey: text });
  if (receipt.type !== "accepted") throw new Error(JSON.stringify(receipt));
  return receipt.messageIds[0] ?? id("");
}

describe("the history of a conversation", () => {
  const read = async (limit: number, options: { readonly before?: MessageId; readonly target?: Origin } = {}) => {
    const { target = at(), ...rest } = options;
    return (await channel.history?.(target, { signal, limit, ...rest }))?.map(({ sender, body }) => `${sender}: ${body}`);
  };

  test("has the newest messages with their authors, oldest first, also the bot's own", async () => {
    say("om_1", "One");
    await send("Two");
    say("om_3", "Three", { senderOpenId: "ou_bob" });
    say("om_x", "elsewhere", { chatId: "oc_dm" });
    expect(await read(10)).toEqual(["Alice: One", "Factotum: Two", "Bob: Three"]);
    expect(await read(2)).toEqual(["Factotum: Two", "Bob: Three"]);
    expect(await read(10, { before: id("om_3") })).toEqual(["Alice: One", "Factotum: Two"]);
  });

  test("goes over pages", async () => {
    for (let index = 0; index < 120; index += 1) say(`om_${index}`, `${index}`);
    expect(await read(2, { before: id("om_30") })).toEqual(["Alice: 28", "Alice: 29"]);
  });

  test("of a thread is the thread's", async () => {
    say("om_root", "Root", { threadId: "omt_1" });
    say("om_reply", "Reply", { threadId: "omt_1", rootId: "om_root" });
    say("om_2", "Outside");
    expect(await read(10, { target: at({ threadId: "om_root" }) })).toEqual(["Alice: Root", "Alice: Reply"]);
    expect(await read(10)).toEqual(["Alice: Root", "Alice: Outside"]);
  });

  test("has no recalled message", async () => {
    const recalled = await send("Gone");
    await channel.send(at(), { type: "delete", targetId: recalled }, { signal, idempotencyKey: "delete" });
    expect(await read(10)).toEqual([]);
  });

  test("of a group needs the scope for groups", async () => {
    feishu.app.scopes.delete("im:message.group_msg");
    await expect(read(1)).rejects.toMatchObject({ code: "forbidden", message: expect.stringContaining("im:message.group_msg") as string });
  });
});

describe("a send whose answer was lost", () => {
  const reconcile = async (outbound: Outbound, sentAtMs = clock.now()) =>
    channel.reconcile?.(at(), outbound, { signal, idempotencyKey: "key", sentAtMs });
  const TEXT: Outbound = { type: "text", text: "# Done\n\nSee **this**: [a](https://x.y)" };

  test("is shown if its text is there, whatever form the platform shows it in", async () => {
    const sentAtMs = clock.now();
    const shown = await send("#### Done\n\nSee this: *a* https://x.y");
    expect(await reconcile(TEXT, sentAtMs)).toEqual({ type: "shown", messageIds: [shown] });
  });

  test("is not shown if the bot wrote nothing, something else, or the same long before", async () => {
    expect(await reconcile(TEXT)).toEqual({ type: "not-shown" });
    await send("# Done\n\nSee **this**: [a](https://x.y)");
    clock.advance(10 * 60_000);
    await send("Something else");
    expect(await reconcile(TEXT)).toEqual({ type: "not-shown" });
  });

  test("is not known for a file among other messages, without permission, and in a chat that is not known", async () => {
    const sentAtMs = clock.now();
    const file: Outbound = { type: "media", media: { kind: "file", mimeType: "text/plain", bytes: Buffer.from("x") } };
    expect(await reconcile(file, sentAtMs)).toEqual({ type: "not-shown" });
    await send("Something");
    expect(await reconcile(file, sentAtMs)).toEqual({ type: "unknown" });
    feishu.app.scopes.clear();
    expect(await reconcile(TEXT, sentAtMs)).toEqual({ type: "unknown" });
    const person = at({ kind: "direct", id: "ou_alice" });
    expect(await channel.reconcile?.(person, TEXT, { signal, idempotencyKey: "key", sentAtMs })).toEqual({ type: "unknown" });
  });
});

describe("the action", () => {
  const act = async (name: ActionName, parameters: Readonly<Record<string, unknown>> = {}, target = at()): Promise<unknown> => {
    const { value } = await channel.act({ name, target, parameters }, { signal });
    // The gateway drops a result that does not match.
    ACTIONS[name].result.parse(value);
    return value;
  };

  test("pin, unpin and pins-list", async () => {
    say("om_1", "One");
    say("om_2", "Two");
    await act("pin", { messageId: "om_1" });
    await act("pin", { messageId: "om_2" });
    await act("unpin", { messageId: "om_1" });
    expect(await act("pins-list", { limit: 5 })).toMatchObject({ messages: [{ messageId: "om_2", sender: "Alice", text: "Two" }] });
  });

  test("read", async () => {
    say("om_1", "One");
    say("om_2", "Two");
    expect(await act("read", { limit: 5, before: "om_2" })).toMatchObject({
      messages: [{ messageId: "om_1", sender: "Alice", text: "One" }],
    });
  });

  test("reactions-list", async () => {
    const targetId = await send("nice");
    await channel.send(at(), { type: "reaction", targetId, emoji: "👍", removed: false }, { signal, idempotencyKey: "r" });
    expect(await act("reactions-list", { messageId: targetId })).toEqual({ reactions: [{ emoji: "👍", count: 1 }] });
  });

  test("member-info and channel-info", async () => {
    expect(await act("member-info", { userId: "ou_alice" })).toEqual({ id: "ou_alice", name: "Alice", roles: ["owner"] });
    expect(await act("member-info", { userId: "ou_bob" })).toEqual({ id: "ou_bob", name: "Bob" });
    await expect(act("member-info", { userId: "ou_eve" })).rejects.toMatchObject({ code: "not-found" });
    expect(await act("channel-info")).toEqual({ id: "oc_group", name: "The group", topic: "About gardens" });
  });

  test("emoji-list has what a reaction can be", async () => {
    const { emoji } = (await act("emoji-list")) as { readonly emoji: readonly string[] };
    const targetId = await send("nice");
    for (const one of emoji) {
      const receipt = await channel.send(at(), { type: "reaction", targetId, emoji: one, removed: false }, { signal, idempotencyKey: one });
      expect(receipt.type).toBe("accepted");
    }
  });

  test.each(["pin", "unpin", "reactions-list"] as const)("%s reaches no message of another conversation", async (name) => {
    say("om_dm", "Secret", { chatId: "oc_dm" });
    say("om_1", "One");
    await expect(act(name, { messageId: "om_dm" })).rejects.toMatchObject({ code: "not-found" });
    await expect(act(name, { messageId: "om_1" }, at({ threadId: "om_root" }))).rejects.toMatchObject({ code: "not-found" });
    expect(
      feishu.requests.filter(({ path, method }) => path.includes("/pins") || (path.includes("/reactions") && method === "GET")),
    ).toEqual([]);
  });

  test("that is not declared, or has wrong parameters, is refused", async () => {
    const { actions } = channel.capabilities;
    expect(actions).toEqual(["pin", "unpin", "pins-list", "read", "reactions-list", "member-info", "channel-info", "emoji-list"]);
    await expect(act("search", { query: "x", limit: 1 })).rejects.toMatchObject({ code: "rejected" });
    await expect(act("pin", { messageId: 5 })).rejects.toMatchObject({ code: "rejected" });
  });
});
