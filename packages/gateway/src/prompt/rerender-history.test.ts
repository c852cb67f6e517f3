import type { AgentMessage, UserMessage } from "@factotum/agent-contract";
import type { TranscriptBody, TranscriptEntry } from "@factotum/store";
import { describe, expect, test } from "vitest";
import { readShownHistory } from "./rerender-history.ts";
import type { RerenderedHistory } from "./rerender-history.ts";

type Context = Parameters<typeof readShownHistory>[1];
type Services = Parameters<typeof readShownHistory>[2];

const said = (body: string, channel = "lark"): UserMessage => ({
  role: "user",
  content: [
    {
      type: "text",
      text: `Inbound context (trusted):\n{"schema":"factotum.inbound_meta.v1","delimiter":"0123456789ab","timestamp":"Mon 2026-06-15 14:31 UTC","channel":"${channel}","owner":true,"message_id":"m1","run":"user"}\n${body}`,
    },
  ],
  parts: { body, sender: { id: "u1", owner: true }, systemEvents: [] },
  timestamp: 1,
});
const result = (chars: number): AgentMessage => ({
  role: "toolResult",
  toolCallId: "c1",
  toolName: "read",
  content: [{ type: "text", text: "x".repeat(chars) }],
  isError: false,
  timestamp: 2,
});

/** Entries like those of a store, each with its position. */
function entriesOf(bodies: readonly (TranscriptBody & { readonly turnId?: string })[]): readonly TranscriptEntry[] {
  return bodies.map((body, index) => ({ turnId: "t1", ...body, id: `e${index}`, sessionId: "s1", timestampMs: index }));
}

async function rerender(
  entries: readonly TranscriptEntry[],
  {
    channel = "lark",
    window = 200_000,
    openTurn,
  }: { readonly channel?: string; readonly window?: number; readonly openTurn?: string } = {},
): Promise<RerenderedHistory> {
  const context = {
    record: {},
    sessionId: "s1",
    channel: { id: channel },
    model: { client: { info: { contextWindow: window } } },
  } as unknown as Context;
  const services = {
    store: { readRecentContext: async () => ({ entries, omitted: 0 }) },
    cache: { get: () => undefined, set: () => undefined },
  };
  const prompt = { isNew: true, record: { cause: "cold-cache" } } as unknown as Parameters<typeof readShownHistory>[0];
  return readShownHistory(prompt, context, services as unknown as Services, openTurn);
}

const textOf = (message: AgentMessage | undefined): string => JSON.stringify(message?.content);

describe("older turns at a named cause", () => {
  test("are re-rendered once: the stored result is what is shown, and there is nothing more to store the next time", async () => {
    const entries = entriesOf([{ type: "message", message: said("one") }]);
    const { messages, replacement } = await rerender(entries);
    expect(replacement).toMatchObject({ rerendered: true, messages: [{ entryId: "e0" }] });
    expect(messages).toEqual(replacement?.messages.map(({ message }) => message));
    expect(textOf(messages[0])).toContain("2026-06-15");
    expect(textOf(messages[0])).not.toContain("message_id");
    const again = await rerender(entriesOf([...entries, ...(replacement === undefined ? [] : [replacement])]));
    expect(again).toEqual({ messages, isReplaced: false, replacement: undefined });
  });

  test("are rendered from the original: a channel's name and a long result return when they are needed", async () => {
    const entries = entriesOf([
      { type: "message", message: said("one") },
      { type: "message", message: result(20_000) },
    ]);
    const small = await rerender(entries, { window: 40_000 });
    expect(textOf(small.messages[0])).not.toContain("channel");
    expect(textOf(small.messages[1]).length).toBeLessThan(17_000);
    const stored = entriesOf([...entries, ...(small.replacement === undefined ? [] : [small.replacement])]);
    const large = await rerender(stored, { channel: "webchat" });
    expect(textOf(large.messages[0])).toContain('channel\\":\\"lark');
    expect(large.messages[1]).toEqual(entries[1]?.type === "message" ? entries[1].message : undefined);
  });

  test("keep out a quarantined item, and report that until it was answered", async () => {
    const placeholder: UserMessage = { ...said("one"), content: [{ type: "text", text: "[message left out]" }] };
    const entries = entriesOf([
      { type: "message", message: said("one") },
      { type: "replacement", messages: [{ entryId: "e0", message: placeholder }] },
    ]);
    expect(await rerender(entries)).toEqual({ messages: [placeholder], isReplaced: true, replacement: undefined });
  });

  test("leave the resumed turn as it was sent", async () => {
    const entries = entriesOf([
      { type: "message", message: said("one") },
      { type: "message", message: said("two"), turnId: "t2" },
    ]);
    const { messages, replacement } = await rerender(entries, { openTurn: "t2" });
    expect(replacement?.messages.map(({ entryId }) => entryId)).toEqual(["e0"]);
    expect(messages[1]).toEqual(said("two"));
  });
});
