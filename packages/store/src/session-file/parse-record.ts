import { withoutUndefined } from "@factotum/agent-contract";
import type { JsonObject } from "@factotum/agent-contract";
import type { TranscriptBody } from "../port/transcript-records.ts";
import { parseMessage } from "./parse-message.ts";
import type { FileLine } from "./read-lines.ts";
import { arrayOf, countOf, nonEmpty, objectOf, oneOf, stringOf, timeOf } from "./unknown-value.ts";

/** Shorter lines cannot be nested too deep. */
const DEEP_CHARS = 4096;

/** One line of a session file; undefined if it is not a record or cannot be stored. */
export function parseRecord({ text }: Pick<FileLine, "text">): JsonObject | undefined {
  const record = parseObject(text);
  return record !== undefined && isStorable(text, record) ? record : undefined;
}

/** When a record was written; falls back to the time of the previous one. */
export function recordTime(record: JsonObject, lastTimeMs: number): number {
  return timeOf(record["timestamp"]) ?? timeOf(objectOf(record["message"])?.["timestamp"]) ?? lastTimeMs;
}

function parseObject(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  try {
    return objectOf(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Detects nesting that is too deep to serialise; only a line of that length can have it. */
function isStorable(text: string | undefined, record: JsonObject): boolean {
  if (text === undefined || text.length < DEEP_CHARS) return true;
  try {
    return JSON.stringify(record) !== undefined;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The conversation part of a record; undefined if it has none. A line without an envelope is a message of the oldest form. */
export function parseBody(record: JsonObject, timestampMs: number): TranscriptBody | undefined {
  const bare = record["type"] === undefined || record["type"] === "message";
  if (bare) {
    const message = parseMessage(objectOf(record["message"]) ?? record, timestampMs);
    return message === undefined ? undefined : { type: "message", message };
  }
  switch (record["type"]) {
    case "compaction":
      return toCompaction(record, timestampMs);
    case "replacement":
      return toReplacement(record, timestampMs);
    case "branch":
      return { type: "branch", ...withoutUndefined({ after: nonEmpty(record["after"]) }) };
    case "ui-message":
      return toUiMessage(record);
    case "notice": {
      const level = oneOf(record["level"], ["info", "warning", "error"]) ?? "info";
      return {
        type: "notice",
        level,
        text: stringOf(record["text"]) ?? "",
        ...(record["tellsModel"] === true ? { tellsModel: true } : {}),
        ...(record["tainted"] === true ? { tainted: true } : {}),
      };
    }
    // Both were shown to the model as text of the user.
    case "custom_message":
      return toUserBody(record["content"], timestampMs);
    case "branch_summary":
      return toUserBody(record["summary"], timestampMs);
    default:
      return undefined;
  }
}

function toUiMessage(record: JsonObject): TranscriptBody {
  const sender = stringOf(record["sender"]);
  const attachments = countOf(record["attachments"]);
  return {
    type: "ui-message",
    text: stringOf(record["text"]) ?? "",
    channel: stringOf(record["channel"]) ?? "",
    eventId: stringOf(record["eventId"]) ?? "",
    ...withoutUndefined({ sender }),
    ...(attachments === undefined || attachments === 0 ? {} : { attachments }),
  };
}

function toCompaction(record: JsonObject, timestampMs: number): TranscriptBody | undefined {
  const summary = stringOf(record["summary"]);
  if (summary === undefined) return undefined;
  return {
    type: "compaction",
    message: {
      role: "compaction",
      summary,
      firstKeptEntryId: stringOf(record["firstKeptEntryId"]) ?? "",
      tokensBefore: countOf(record["tokensBefore"]) ?? 0,
      ...(typeof record["tainted"] === "boolean" ? { tainted: record["tainted"] } : {}),
      timestamp: timeOf(record["summarizedAt"]) ?? timestampMs,
    },
  };
}

function toReplacement(record: JsonObject, timestampMs: number): TranscriptBody | undefined {
  const messages = (arrayOf(record["messages"]) ?? []).flatMap((value) => {
    const one = objectOf(value);
    const entryId = nonEmpty(one?.["entryId"]);
    const message = parseMessage(objectOf(one?.["message"]) ?? {}, timestampMs);
    return entryId === undefined || message === undefined ? [] : [{ entryId, message }];
  });
  if (messages.length === 0) return undefined;
  return { type: "replacement", messages, ...(record["rerendered"] === true ? { rerendered: true } : {}) };
}

function toUserBody(content: unknown, timestampMs: number): TranscriptBody | undefined {
  const message = parseMessage({ role: "user", content: content as string }, timestampMs);
  return message?.role === "user" && message.content.length > 0 ? { type: "message", message } : undefined;
}
