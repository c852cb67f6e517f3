import { MsgContextSchema } from "@factotum/channel-contract";
import { describe, expect, test } from "vitest";
import type { IrcLine } from "../network/irc-line.ts";
import { Members } from "../network/members.ts";
import { NetworkFacts } from "../network/network-facts.ts";
import { parseMessage } from "./parse-message.ts";
import type { ParseContext } from "./parse-message.ts";

const ALL = ["account-tag", "message-tags", "server-time"];

function contextOf(options: { caps?: readonly string[]; isupport?: string } = {}): ParseContext & { readonly members: Members } {
  const facts = new NetworkFacts(() => options.caps ?? ALL);
  facts.learn({ params: ["factotum", ...(options.isupport ?? "CHANTYPES=# STATUSMSG=@+").split(" "), "are supported"] });
  return { accountId: "default", facts, members: new Members(facts), self: "factotum", nowMs: 5_000, createId: () => "made-1" };
}

const line = (text: string, more: Partial<IrcLine> & { readonly to?: string } = {}): IrcLine => ({
  command: "PRIVMSG",
  params: [more.to ?? "factotum", text],
  tags: {},
  nick: "Alice",
  ident: "~alice",
  hostname: "example",
  prefix: "Alice!~alice@example",
  ...more,
});

const parse = (text: string, more: Parameters<typeof line>[1] = {}, context = contextOf()) => parseMessage(line(text, more), context);

test("a direct message of somebody who is logged in has the account as its sender and its conversation", () => {
  const message = parse("hello", { tags: { account: "Alice", msgid: "m1", time: "2026-01-01T00:00:00.123Z" } });
  expect(MsgContextSchema.parse(message)).toEqual({
    origin: { channel: "irc", accountId: "default", conversation: { kind: "direct", id: "account:alice" } },
    eventId: "m1",
    messageId: "m1",
    timestampMs: Date.UTC(2026, 0, 1, 0, 0, 0, 123),
    event: { type: "message" },
    sender: { id: "account:alice", name: "Alice", handle: "Alice!~alice@example", isBot: false },
    text: "hello",
    mentionsBot: false,
    attachments: [],
  });
});

describe("who wrote it", () => {
  test("without a login it is the nickname, under another prefix, whatever it is", () => {
    for (const nick of ["alice", "Alice", "account", "account:alice"])
      expect(parse("hello", { nick, prefix: `${nick}!a@b` })?.sender.id).toBe(`nick:${nick.toLowerCase()}`);
  });

  test("a tag of a client cannot say it", () => {
    expect(parse("hello", { tags: { "+account": "owner", "draft/account": "owner" } })?.sender.id).toBe("nick:alice");
  });

  test("an account tag that the server has not agreed to is ignored", () => {
    expect(parse("hello", { tags: { account: "owner" } }, contextOf({ caps: ["message-tags"] }))?.sender.id).toBe("nick:alice");
  });

  test("without tags it is what the server told about members, until they leave", () => {
    const context = contextOf({ caps: ["extended-join", "account-notify"] });
    const learn = (command: string, params: readonly string[]): void => context.members.learn({ ...line(""), command, params }, "factotum");
    learn("JOIN", ["#room", "Alice", "real name"]);
    expect(parse("x", { to: "#room" }, context)?.sender.id).toBe("account:alice");
    learn("ACCOUNT", ["*"]);
    expect(parse("x", { to: "#room" }, context)?.sender.id).toBe("nick:alice");
    learn("ACCOUNT", ["Alice"]);
    learn("PART", ["#room"]);
    expect(parse("x", {}, context)?.sender.id).toBe("nick:alice");
    learn("JOIN", ["#room"]);
    learn("354", ["factotum", "152", "Alice", "Alice"]);
    expect(parse("x", {}, context)?.sender.id).toBe("account:alice");
    learn("NICK", ["Alicia"]);
    expect(parse("x", {}, context)?.sender.id).toBe("nick:alice");
    expect(parse("x", { nick: "alicia", prefix: "alicia!a@b" }, context)?.sender.id).toBe("account:alice");
  });

  test("another bot is marked", () => {
    expect(parse("hello", { tags: { bot: "" } })?.sender.isBot).toBe(true);
  });

  test.each([
    ["rfc1459", "nick:{a}|^"],
    ["rfc1459-strict", "nick:{a}|~"],
    ["ascii", "nick:[a]\\~"],
  ])("names are folded by the server's case mapping %s", (mapping, id) => {
    const context = contextOf({ isupport: `CASEMAPPING=${mapping} CHANTYPES=#` });
    expect(parse("x", { nick: "[A]\\~", prefix: "[A]\\~!a@b" }, context)?.sender.id).toBe(id);
  });
});

describe("where it was", () => {
  test("a channel is its folded name", () => {
    expect(parse("x", { to: "#Room[1]" })).toMatchObject({
      origin: { conversation: { kind: "channel", id: "#room{1}" } },
      group: { subject: "#Room[1]" },
    });
  });

  test("a message for the operators is answered to them alone", () => {
    expect(parse("x", { to: "@#room" })?.origin.conversation).toEqual({ kind: "channel", id: "@#room" });
  });

  test("channel names begin as the server says", () => {
    expect(parse("x", { to: "!room" })).toBeUndefined();
    expect(parse("x", { to: "!room" }, contextOf({ isupport: "CHANTYPES=#!" }))?.origin.conversation.id).toBe("!room");
  });
});

test.each([
  ["a notice", "x", { command: "NOTICE" }],
  ["a message of the server", "x", { nick: "", prefix: "irc.example" }],
  ["our own message", "x", { nick: "FACTOTUM", prefix: "factotum!a@b", to: "#room" }],
  ["the services", "This nickname is registered", { nick: "NickServ", prefix: "NickServ!s@services" }],
  ["a message for somebody else", "x", { to: "bob" }],
  ["a request for our version", "\u0001VERSION\u0001", {}],
  ["an offered file", "\u0001DCC SEND x 1 2 3\u0001", {}],
  ["formatting alone", "\u0002\u000304 \u0002", {}],
  ["our name alone", "factotum: ", { to: "#room" }],
] as const)("%s is ignored", (_, text, more) => {
  expect(parse(text, more)).toBeUndefined();
});

describe("the text", () => {
  test.each([
    ["\u0002bold\u0002 and \u001ditalic\u001d", "**bold** and *italic*"],
    ["\u0002 spaced \u0002x", " **spaced** x".trim()],
    ["\u000304,01red\u0003 \u0003012 two", "red 2 two"],
    ["\u0004ff0000,00ff00hex\u0004", "hex"],
    ["\u001eold\u001e \u0011code *x*\u0011", "~~old~~ `code *x*`"],
    ["\u0011\u0002both\u000f plain", "**`both`** plain"],
    ["\u0002a\u001db\u0002c", "**a*****b****c*"],
    ["\u001funder\u001f \u0016reverse\u0016", "under reverse"],
    ["bell\u0007 tab\tx \u009b", "bell tab x"],
    ["*stars* stay", "*stars* stay"],
    ["\u0001ACTION waves at \u0002you\u0002\u0001", "*Alice waves at* ***you***"],
    ["\u0001ACTION waves", "*Alice waves*"],
  ])("%j is %j", (given, expected) => {
    expect(parse(given)?.text).toBe(expected);
  });

  test("our name in front is an address, and not part of it", () => {
    for (const given of ["factotum: go", "Factotum, go", "@factotum: go", "\u0002factotum\u0002: go"])
      expect(parse(given, { to: "#room" })).toMatchObject({ text: "go", mentionsBot: true });
  });

  test("our name anywhere names us; a longer word does not", () => {
    expect(parse("ask factotum?", { to: "#room" })).toMatchObject({ text: "ask factotum?", mentionsBot: true });
    expect(parse("factotums are many", { to: "#room" })?.mentionsBot).toBe(false);
  });

  test("members who are named are listed", () => {
    const context = contextOf();
    context.members.learn({ ...line(""), command: "353", params: ["factotum", "=", "#room", "@Bob +carol!c@host dave"] }, "factotum");
    expect(parse("bob: ask Carol and eve", { to: "#room" }, context)?.mentions).toEqual([{ name: "bob" }, { name: "Carol" }]);
    expect(parse("bob", {}, context)?.mentions).toBeUndefined();
  });
});

test("without the server's ids and time it gets an id of the connection and the time of receipt", () => {
  expect(parse("x")).toMatchObject({ eventId: "made-1", messageId: "made-1", timestampMs: 5_000 });
});
