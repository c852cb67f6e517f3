import { NO_USAGE, RUN_KINDS, withoutUndefined } from "@factotum/agent-contract";
import type {
  AgentMessage,
  AssistantMessage,
  ImageContent,
  JsonObject,
  JsonValue,
  StopReason,
  TextContent,
  ThinkingContent,
  ToolCallContent,
  ToolResultMessage,
  Usage,
  UserMessage,
  UserMessageParts,
} from "@factotum/agent-contract";
import { arrayOf, countOf, nonEmpty, objectOf, oneOf, stringOf, timeOf } from "./unknown-value.ts";

const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
const BODY_TYPES = ["task", "media-only"] as const;
const FILE_KINDS = ["image", "audio", "video", "file"] as const;
const STOP_REASONS: readonly StopReason[] = ["stop", "length", "toolUse", "aborted", "error"];

/** Reads one message of a session file, ours or a foreign one; undefined for an unsupported role. */
export function parseMessage(record: JsonObject, fallbackMs: number): AgentMessage | undefined {
  const timestamp = timeOf(record["timestamp"]) ?? fallbackMs;
  switch (record["role"]) {
    case "user":
      return parseUser(record, timestamp);
    case "assistant":
      return parseAssistant(record, timestamp);
    case "toolResult":
    case "tool_result":
    case "tool":
      return parseToolResult(record, timestamp);
    default:
      return undefined;
  }
}

function parseUser(record: JsonObject, timestamp: number): UserMessage {
  const parts = parseParts(record["parts"]);
  return {
    role: "user",
    content: parseContent(record["content"]),
    ...withoutUndefined({ parts }),
    ...(typeof record["tainted"] === "boolean" ? { tainted: record["tainted"] } : {}),
    timestamp,
  };
}

function parseParts(value: unknown): UserMessageParts | undefined {
  const record = objectOf(value);
  const body = stringOf(record?.["body"]);
  if (record === undefined || body === undefined) return undefined;
  const sender = parseSender(objectOf(record["sender"]));
  const source = parseSource(objectOf(record["source"]));
  const files = parseFiles(arrayOf(record["files"]));
  const bodyType = oneOf(record["bodyType"], BODY_TYPES);
  const run = oneOf(record["run"], RUN_KINDS);
  const ackMaxChars = countOf(record["ackMaxChars"]);
  return {
    body,
    ...withoutUndefined({ bodyType, run, ackMaxChars }),
    ...(record["joined"] === true ? { joined: true } : {}),
    ...withoutUndefined({ sender }),
    systemEvents: (arrayOf(record["systemEvents"]) ?? []).filter((line) => typeof line === "string"),
    ...withoutUndefined({ source, files }),
  };
}

function parseFiles(files: readonly unknown[] | undefined): UserMessageParts["files"] {
  return files?.flatMap((file) => {
    const record = objectOf(file);
    const id = stringOf(record?.["id"]);
    const kind = oneOf(record?.["kind"], FILE_KINDS);
    const name = stringOf(record?.["name"]);
    return id === undefined || kind === undefined ? [] : [{ id, kind, ...withoutUndefined({ name }) }];
  });
}

function parseSender(sender: JsonObject | undefined): UserMessageParts["sender"] {
  const id = stringOf(sender?.["id"]);
  const name = stringOf(sender?.["name"]);
  return id === undefined ? undefined : { id, ...withoutUndefined({ name }), owner: sender?.["owner"] === true };
}

function parseSource(source: JsonObject | undefined): UserMessageParts["source"] {
  const channel = stringOf(source?.["channel"]);
  const eventId = stringOf(source?.["eventId"]);
  const retryOf = stringOf(source?.["retryOf"]);
  return channel === undefined || eventId === undefined ? undefined : { channel, eventId, ...withoutUndefined({ retryOf }) };
}

function parseAssistant(record: JsonObject, timestamp: number): AssistantMessage {
  const text = stringOf(record["content"]);
  const blocks = text === undefined ? (arrayOf(record["content"]) ?? []) : [{ type: "text", text }];
  const errorMessage = stringOf(record["errorMessage"]);
  return {
    role: "assistant",
    content: blocks.map(parseBlock).filter((block) => block !== undefined),
    api: nonEmpty(record["api"]) ?? "unknown",
    provider: nonEmpty(record["provider"]) ?? "unknown",
    model: nonEmpty(record["model"]) ?? "unknown",
    usage: parseUsage(record["usage"]),
    stopReason: oneOf(record["stopReason"], STOP_REASONS) ?? "stop",
    ...withoutUndefined({ errorMessage }),
    timestamp,
  };
}

function parseToolResult(record: JsonObject, timestamp: number): ToolResultMessage | undefined {
  const toolCallId = nonEmpty(record["toolCallId"]) ?? nonEmpty(record["tool_use_id"]) ?? nonEmpty(record["tool_call_id"]);
  if (toolCallId === undefined) return undefined;
  const details = record["details"] as JsonValue | undefined;
  return {
    role: "toolResult",
    toolCallId,
    toolName: nonEmpty(record["toolName"]) ?? nonEmpty(record["name"]) ?? "unknown",
    content: parseContent(record["content"]),
    ...withoutUndefined({ details }),
    isError: record["isError"] === true || record["is_error"] === true,
    ...(typeof record["tainted"] === "boolean" ? { tainted: record["tainted"] } : {}),
    ...(record["external"] === true ? { external: true } : {}),
    timestamp,
  };
}

function parseContent(value: unknown): readonly (TextContent | ImageContent)[] {
  if (typeof value === "string") return [{ type: "text", text: value }];
  return (arrayOf(value) ?? []).map(parseContentPart).filter((part) => part !== undefined);
}

function parseContentPart(value: unknown): TextContent | ImageContent | undefined {
  const part = objectOf(value);
  const text = stringOf(part?.["text"]);
  if (part?.["type"] === "text" && text !== undefined) return { type: "text", text };
  return part?.["type"] === "image" ? parseImage(part) : undefined;
}

/** An image of a type that models do not accept is replaced by a note. */
function parseImage(part: JsonObject): TextContent | ImageContent {
  const source = objectOf(part["source"]);
  const data = stringOf(part["data"]) ?? stringOf(source?.["data"]);
  const mimeType = oneOf(part["mimeType"] ?? part["media_type"] ?? source?.["media_type"], IMAGE_TYPES);
  return data === undefined || mimeType === undefined
    ? { type: "text", text: "[image not taken over]" }
    : { type: "image", data, mimeType };
}

function parseBlock(value: unknown): TextContent | ThinkingContent | ToolCallContent | undefined {
  const block = objectOf(value);
  switch (block?.["type"]) {
    case "text":
      return typeof block["text"] === "string" ? { type: "text", text: block["text"] } : undefined;
    case "thinking":
      return parseThinking(block);
    case "toolCall":
    case "tool_use":
      return parseToolCall(block);
    default:
      return undefined;
  }
}

/** A foreign signature has a format of its own: without it the thought is still readable, and no provider refuses it. */
function parseThinking(block: JsonObject): ThinkingContent | undefined {
  const text = stringOf(block["text"]) ?? stringOf(block["thinking"]);
  const signature = objectOf(block["signature"]);
  return text === undefined ? undefined : { type: "thinking", text, ...withoutUndefined({ signature }) };
}

/** A call without an id or a name is incomplete, and incomplete calls are not kept (R8). */
function parseToolCall(block: JsonObject): ToolCallContent | undefined {
  const id = nonEmpty(block["id"]);
  const name = nonEmpty(block["name"]);
  const callArguments = objectOf(block["arguments"]) ?? objectOf(block["input"]);
  if (id === undefined || name === undefined || callArguments === undefined) return undefined;
  const providerData = objectOf(block["providerData"]);
  const deferred = block["deferred"] === true ? { deferred: true as const } : {};
  const external = block["external"] === true ? { external: true as const } : {};
  return { type: "toolCall", id, name, arguments: callArguments, ...withoutUndefined({ providerData }), ...deferred, ...external };
}

function parseUsage(value: unknown): Usage {
  const usage = objectOf(value);
  if (usage === undefined) return NO_USAGE;
  const input = countOf(usage["input"]) ?? 0;
  const output = countOf(usage["output"]) ?? 0;
  const cacheRead = countOf(usage["cacheRead"]) ?? 0;
  const cacheWrite = countOf(usage["cacheWrite"]) ?? 0;
  const costUsd = countOf(usage["costUsd"]) ?? countOf(objectOf(usage["cost"])?.["total"]);
  const total = input + output + cacheRead + cacheWrite;
  return { input, output, cacheRead, cacheWrite, total, ...withoutUndefined({ costUsd }) };
}
