import type { AgentMessage, ToolResultMessage, UserMessageParts } from "@factotum/agent-contract";
import { NO_USAGE } from "@factotum/agent-contract";
import { renderEffectivePrompt, renderSummaryMessage } from "@factotum/agent-core";
import { describe, expect, test } from "vitest";
import { isGivenAddress } from "./given-address.ts";

const ADDRESS = "https://docs.example/a_b?x=1&y=2";
type PromptFacts = Parameters<typeof renderEffectivePrompt>[0];

function user(body: string, facts: Partial<PromptFacts> = {}, parts: Partial<UserMessageParts> = {}): AgentMessage {
  const effective = renderEffectivePrompt({
    run: "user",
    delimiter: "0123456789ab",
    nowMs: 0,
    timeZone: "UTC",
    trusted: {},
    body: { type: "message", text: body },
    systemEvents: [],
    untrustedNotes: [],
    ...facts,
  });
  return { role: "user", content: [{ type: "text", text: effective.text }], parts: { ...effective.parts, ...parts }, timestamp: 0 };
}

function says(text: string): AgentMessage {
  return {
    role: "assistant",
    content: [{ type: "text", text }],
    api: "",
    provider: "",
    model: "",
    usage: NO_USAGE,
    stopReason: "stop",
    timestamp: 0,
  };
}

function calls(name: string, args: Record<string, string>, id = "c1"): AgentMessage {
  const content = [{ type: "toolCall", id, name, arguments: args }] as const;
  return { role: "assistant", content, api: "", provider: "", model: "", usage: NO_USAGE, stopReason: "toolUse", timestamp: 0 };
}

function result(text: string, marks: Partial<ToolResultMessage> = { tainted: true }, id = "c1"): AgentMessage {
  return {
    role: "toolResult",
    toolCallId: id,
    toolName: "web_fetch",
    content: [{ type: "text", text }],
    isError: false,
    timestamp: 0,
    ...marks,
  };
}

const isGiven = (messages: readonly AgentMessage[], address = ADDRESS): boolean =>
  isGivenAddress(address, { messages, tool: "web_fetch", receivedFolder: "/home/media/inbound/one" });

/** Each refused case is paired with a similar one that is allowed. */
const PAIRS: readonly {
  readonly title: string;
  readonly refused: readonly AgentMessage[];
  readonly allowed: readonly AgentMessage[];
  readonly address?: string;
}[] = [
  { title: "a message that names another address", refused: [user("see https://docs.example/other")], allowed: [user(`see ${ADDRESS}`)] },
  {
    title: "an address that is cut",
    refused: [user(ADDRESS)],
    allowed: [user("https://docs.example/a_b?x=1")],
    address: "https://docs.example/a_b?x=1",
  },
  { title: "an address with more at its end", refused: [user("see https://docs.example/")], allowed: [user(`(see ${ADDRESS}).`)] },
  {
    title: "another scheme",
    refused: [user(ADDRESS.replace("https", "http"))],
    allowed: [user(ADDRESS.replace("docs.example", "DOCS.example"))],
  },
  {
    title: "another port",
    refused: [user(ADDRESS.replace("example", "example:8443"))],
    allowed: [user(ADDRESS.replace("example", "example:443"))],
  },
  {
    title: "the address as part of another one",
    refused: [user(`https://proxy.example/?u=${ADDRESS}`)],
    allowed: [user(`https://proxy.example/?u= ${ADDRESS}`)],
  },
  {
    title: "a host that continues",
    refused: [user("https://docs.example.evil/a_b?x=1&y=2")],
    allowed: [user(`https://docs.example.evil ${ADDRESS}`)],
  },
  { title: "the model's own answer", refused: [says(ADDRESS)], allowed: [says("which?"), user(ADDRESS)] },
  {
    title: "the model's own call",
    refused: [calls("write", { content: ADDRESS }), result("Wrote a.md", {})],
    allowed: [calls("web_search", { query: "docs" }), result(ADDRESS)],
  },
  {
    title: "its own file, read again",
    refused: [calls("read", { path: "a.md" }), result(ADDRESS, {})],
    allowed: [calls("read", { path: "/home/media/inbound/one/0a.txt" }), result(ADDRESS, { tainted: true, toolName: "read" })],
  },
  ...["read", "exec", "image", "grep", "process", "mcp__x_echo"].map((toolName) => ({
    title: `what ${toolName} shows, although it is text of others: the model may have composed it`,
    refused: [calls(toolName, { path: "memory/y.md" }), result(ADDRESS, { tainted: true, toolName })],
    allowed: [calls("web_search", { query: "docs" }), result(ADDRESS, { tainted: true, toolName: "web_search" })],
  })),
  {
    title: "a file that only looks like a received one",
    refused: [calls("read", { path: "/home/media/inbound/one/../two/0a.txt" }), result(ADDRESS, { tainted: true, toolName: "read" })],
    allowed: [calls("read", { path: "/home/media/inbound/one/./0a.txt" }), result(ADDRESS, { tainted: true, toolName: "read" })],
  },
  {
    title: "an error that repeats the argument",
    refused: [calls("web_fetch", { url: ADDRESS }), result(`refused: ${ADDRESS}`, { isError: true, tainted: true })],
    allowed: [calls("web_fetch", { url: ADDRESS }), result("the page")],
  },
  {
    title: "an echo of its query",
    refused: [calls("web_search", { query: ADDRESS }), result(`No results for ${ADDRESS}`)],
    allowed: [calls("web_search", { query: "docs" }), result(`1. Docs\n${ADDRESS}\nGood`)],
  },
  {
    title: "a quote of its own message",
    refused: [says(ADDRESS), user("yes", { replied: { body: ADDRESS, isQuote: true } })],
    allowed: [user("this?", { replied: { body: `see ${ADDRESS}`, isQuote: true } })],
  },
  {
    title: "its own notes",
    refused: [user("hi", { dailyNotes: [{ path: "n.md", text: ADDRESS, untrustedText: ADDRESS }] })],
    allowed: [user("hi", { chatHistory: [{ sender: "Anna", timestampMs: 1, body: ADDRESS }] })],
  },
  {
    title: "a summary",
    refused: [renderSummaryMessage({ summary: ADDRESS, tainted: true, timestamp: 0 })],
    allowed: [renderSummaryMessage({ summary: "x", timestamp: 0 }), user(ADDRESS)],
  },
  {
    title: "a message from a file without an author",
    refused: [{ role: "user", content: [{ type: "text", text: ADDRESS }], timestamp: 0 }],
    allowed: [user("x", { forwarded: { body: ADDRESS } })],
  },
  {
    title: "a message of another agent",
    refused: [user(ADDRESS, {}, { run: "a2a" })],
    allowed: [user(ADDRESS, {}, { run: "cron" })],
  },
  {
    title: "the report of a command, which the model wrote",
    refused: [user(ADDRESS, {}, { run: "command" })],
    allowed: [user(ADDRESS, {}, { run: "hook" })],
  },
  {
    title: "a request of another tool",
    refused: [calls("notes", { url: ADDRESS }), result("kept")],
    allowed: [calls("web_fetch", { url: `${ADDRESS}#part` }), result("the page")],
  },
  {
    title: "a request that failed",
    refused: [calls("web_fetch", { url: ADDRESS }), result("no", { isError: true, tainted: true })],
    allowed: [user(ADDRESS), calls("web_fetch", { url: ADDRESS }), result("no", { isError: true, tainted: true })],
  },
];

describe("in a tainted turn", () => {
  test.each(PAIRS.map((pair) => [pair.title, pair] as const))("%s does not give an address", (_title, { refused, allowed, address }) => {
    expect(isGiven(refused, address)).toBe(false);
    expect(isGiven(allowed, address)).toBe(true);
  });

  test.each([
    `[docs](${ADDRESS})`,
    `[docs](<${ADDRESS}>)`,
    `<${ADDRESS}>`,
    `"${ADDRESS}"`,
    `'${ADDRESS}'`,
    `**${ADDRESS}**`,
    `${ADDRESS}, and more`,
    `${ADDRESS}).`,
    `看${ADDRESS}，谢谢`,
    `URL: ${ADDRESS}\nnext`,
    `{"url":"${ADDRESS}"}`,
    `${ADDRESS}#section`,
  ])("finds it in %s", (text) => {
    expect(isGiven([result(text)])).toBe(true);
    expect(isGiven([user(text)])).toBe(true);
    expect(isGiven([user("x", { forwarded: { body: `${text}\n` } })])).toBe(true);
  });

  test("an address with brackets is found as it is", () => {
    expect(isGiven([user("http://[2606:4700::1]:8080/x and")], "http://[2606:4700::1]:8080/x")).toBe(true);
    expect(isGiven([user("(https://en.example/wiki/Tea_(drink))")], "https://en.example/wiki/Tea_(drink)")).toBe(true);
    expect(isGiven([user("https://example.com")], "https://example.com/")).toBe(true);
  });

  test.each(["http://a.example/o'r", "http://a.example/?q[]=1&x", "http://a.example/a|b", "http://a.example/{id}", "http://a.example/x^y"])(
    "%s is found as it is",
    (address) => {
      for (const text of [
        address,
        `'${address}'`,
        `[x](${address})`,
        `see ${address}, and`,
        `'http://b.example/'${address}'|`,
        `{"u":"${address}"}`,
      ])
        expect(isGiven([user(text)], address), text).toBe(true);
      expect(isGiven([user(`${address}x`)], address)).toBe(false);
    },
  );

  test("nothing that is no address is given", () => {
    for (const address of ["", "docs.example", "not an address"]) expect(isGiven([user(address)], address)).toBe(false);
  });

  test("a long text without an end costs linear time", () => {
    const hostile = `https://a.example/${")".repeat(4_000)} `.repeat(200);
    const begun = performance.now();
    expect(isGiven([result(hostile)])).toBe(false);
    expect(isGiven([result(hostile)], "https://a.example/[]")).toBe(false);
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});
