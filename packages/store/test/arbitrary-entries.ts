import type { AgentMessage, JsonObject, TextContent } from "@factotum/agent-contract";
import fc from "fast-check";
import type { ImportedEntry, TranscriptBody } from "../src/index.ts";
import { NOW_MS } from "../contract/samples.ts";

const name = fc.stringMatching(/^[a-z][a-z_]{0,9}$/);
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom("", "a\u0000b", "\ud800", "line\r\nbreak\u2028", "{}\n"),
);
const time = fc.integer({ min: 0, max: NOW_MS * 2 });
const count = fc.integer({ min: 0, max: 1e6 });
// JSON has no negative zero.
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as JsonObject[string] & {});
const object = fc.dictionary(name, json) as fc.Arbitrary<JsonObject>;

const text: fc.Arbitrary<TextContent> = fc.record({ type: fc.constant("text"), text: anyText });
const image = fc.record({
  type: fc.constant("image" as const),
  data: fc.base64String(),
  mimeType: fc.constantFrom("image/png" as const, "image/webp" as const),
});
const thinking = fc.record(
  { type: fc.constant("thinking" as const), text: anyText, signature: object },
  { requiredKeys: ["type", "text"] },
);
const toolCall = fc.record(
  {
    type: fc.constant("toolCall" as const),
    id: name,
    name,
    arguments: object,
    providerData: object,
    deferred: fc.constant(true as const),
    external: fc.constant(true as const),
  },
  { requiredKeys: ["type", "id", "name", "arguments"] },
);

const parts = fc.record(
  {
    body: anyText,
    bodyType: fc.constantFrom("task" as const, "media-only" as const),
    run: fc.constantFrom("user" as const, "cron" as const),
    ackMaxChars: count,
    joined: fc.constant(true as const),
    sender: fc.record({ id: anyText, name: anyText, owner: fc.boolean() }, { requiredKeys: ["id", "owner"] }),
    systemEvents: fc.array(anyText, { maxLength: 3 }),
    source: fc.record({ channel: name, eventId: anyText, retryOf: anyText }, { requiredKeys: ["channel", "eventId"] }),
  },
  { requiredKeys: ["body", "systemEvents"] },
);

const usage = fc.record(
  {
    input: count,
    output: count,
    cacheRead: count,
    cacheWrite: count,
    costUsd: fc.double({ min: 0, max: 10, noNaN: true }).filter((cost) => !Object.is(cost, -0)),
  },
  { requiredKeys: ["input", "output", "cacheRead", "cacheWrite"] },
);

const message: fc.Arbitrary<AgentMessage> = fc.oneof(
  fc.record(
    {
      role: fc.constant("user" as const),
      content: fc.array(fc.oneof(text, image), { maxLength: 3 }),
      parts,
      tainted: fc.boolean(),
      timestamp: time,
    },
    { requiredKeys: ["role", "content", "timestamp"] },
  ),
  fc
    .record(
      {
        role: fc.constant("assistant" as const),
        content: fc.array(fc.oneof(text, thinking, toolCall), { maxLength: 3 }),
        api: name,
        provider: name,
        model: name,
        usage,
        stopReason: fc.constantFrom("stop" as const, "toolUse" as const, "aborted" as const),
        errorMessage: anyText,
        timestamp: time,
      },
      { requiredKeys: ["role", "content", "api", "provider", "model", "usage", "stopReason", "timestamp"] },
    )
    .map((answer) => {
      const { input, output, cacheRead, cacheWrite } = answer.usage;
      return { ...answer, usage: { ...answer.usage, total: input + output + cacheRead + cacheWrite } };
    }),
  fc.record(
    {
      role: fc.constant("toolResult" as const),
      toolCallId: name,
      toolName: name,
      content: fc.array(fc.oneof(text, image), { maxLength: 3 }),
      details: json,
      isError: fc.boolean(),
      tainted: fc.boolean(),
      external: fc.constant(true as const),
      timestamp: time,
    },
    { requiredKeys: ["role", "toolCallId", "toolName", "content", "isError", "timestamp"] },
  ),
);

const notice = fc.record(
  {
    type: fc.constant("notice" as const),
    level: fc.constantFrom("info" as const, "warning" as const, "error" as const),
    text: anyText,
    tellsModel: fc.constant(true as const),
    tainted: fc.constant(true as const),
  },
  { requiredKeys: ["type", "level", "text"] },
);

const uiMessage = fc.record(
  {
    type: fc.constant("ui-message" as const),
    text: anyText,
    channel: anyText,
    eventId: anyText,
    sender: anyText,
    attachments: fc.integer({ min: 1, max: 20 }),
  },
  { requiredKeys: ["type", "text", "channel", "eventId"] },
);

/** Every kind of transcript entry except compactions. */
export const arbitraryBody: fc.Arbitrary<TranscriptBody> = fc.oneof(
  { weight: 4, arbitrary: message.map((each): TranscriptBody => ({ type: "message", message: each })) },
  { weight: 1, arbitrary: notice },
  { weight: 1, arbitrary: uiMessage },
);

/** A whole transcript; its compactions and replacements refer to earlier entries. */
export const arbitraryEntries: fc.Arbitrary<readonly ImportedEntry[]> = fc
  .array(
    fc.record({
      body: arbitraryBody,
      timestampMs: time,
      cut: fc.option(
        fc.record(
          { summary: anyText, at: fc.nat(), tokensBefore: count, tainted: fc.boolean(), timestamp: time },
          { requiredKeys: ["summary", "at", "tokensBefore", "timestamp"] },
        ),
      ),
      instead: fc.option(fc.array(fc.record({ at: fc.nat(), message }), { minLength: 1, maxLength: 3 }), { freq: 4 }),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((drafts) =>
    drafts.map(({ body, timestampMs, cut, instead }, index): ImportedEntry => {
      if (instead !== null && index > 0) {
        const messages = instead.map((one) => ({ entryId: String(one.at % index), message: one.message }));
        const mark = instead.length > 1 ? ({ rerendered: true } as const) : {};
        return { id: String(index), timestampMs, body: { type: "replacement", messages, ...mark } };
      }
      if (cut === null || index === 0) return { id: String(index), timestampMs, body };
      const { at, ...rest } = cut;
      const firstKeptEntryId = String(at % index);
      return {
        id: String(index),
        timestampMs,
        body: { type: "compaction", message: { role: "compaction", ...rest, firstKeptEntryId } },
      };
    }),
  );
