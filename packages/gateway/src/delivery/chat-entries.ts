import { withoutUndefined } from "@factotum/agent-contract";
import type { AssistantMessage, ImageContent, TextContent, ToolResultMessage, UserMessage } from "@factotum/agent-contract";
import type { ChatEntry, ChatToolCall } from "@factotum/protocol";
import type { TranscriptEntry } from "@factotum/store";
import { parseRequestKey } from "../kernel/request-key.ts";
import { readToldText } from "../kernel/subagent-text.ts";
import { mediaWords } from "../media/media-words.ts";
import { parseReply } from "./parse-reply.ts";
import { historyNotice } from "../run-policy/history-notice.ts";

const MAX_RESULT_CHARS = 16_000;
const MAX_ARGUMENT_CHARS = 4000;

/** Converts a transcript entry for clients; `undefined` for entries that are not shown. */
export function toChatEntry(entry: TranscriptEntry): ChatEntry | undefined {
  const base = { id: entry.id, timestampMs: entry.timestampMs };
  switch (entry.type) {
    case "notice": {
      const { level, text, blocks, key } = entry;
      return {
        type: "notice",
        ...base,
        level,
        text,
        ...withoutUndefined({ blocks, request: key === undefined ? undefined : parseRequestKey(key) }),
      };
    }
    case "compaction":
      return { type: "notice", ...base, level: "info", text: "Older messages were summarised to make room." };
    case "replacement":
    case "branch":
      return undefined;
    case "ui-message": {
      const { text, channel, eventId, sender, attachments } = entry;
      return {
        type: "user",
        ...base,
        text,
        channel,
        idempotencyKey: eventId,
        isAside: true,
        ...withoutUndefined({ sender, attachments }),
      };
    }
    case "message":
      return messageEntry(base, entry.message);
  }
}

function messageEntry(
  base: { readonly id: string; readonly timestampMs: number },
  message: UserMessage | AssistantMessage | ToolResultMessage,
): ChatEntry {
  switch (message.role) {
    case "user": {
      const own = historyNotice(message.parts);
      if (own !== undefined) return { type: "notice", ...base, level: "info", text: own };
      return {
        type: "user",
        ...base,
        text: saidText(message),
        ...attachmentCount(message),
        channel: message.parts?.source?.channel ?? "",
        ...withoutUndefined({ files: message.parts?.files }),
        ...withoutUndefined({ sender: message.parts?.sender?.name, idempotencyKey: message.parts?.source?.eventId }),
      };
    }
    case "assistant":
      return assistantEntry(base, message);
    case "toolResult":
      return {
        type: "tool-result",
        ...base,
        callId: message.toolCallId,
        name: message.toolName,
        text: cut(plainText(message.content), MAX_RESULT_CHARS),
        isError: message.isError,
        ...(isStopped(message) ? { isStopped: true } : {}),
      };
  }
}

function saidText({ parts, content }: UserMessage): string {
  if (parts === undefined) return plainText(content);
  return parts.run === "subagent" ? readToldText(parts.body) : parts.body;
}

/** True for the result of a call that ended because the run was stopped, and not because it failed. */
export function isStopped({ details, isError }: Pick<ToolResultMessage, "details" | "isError">): boolean {
  return isError && typeof details === "object" && details !== null && "stopped" in details && details.stopped === true;
}

/** Matches only the gateway's own media note: in people's text such a line starts with a backslash. */
const MEDIA_NOTE = /^\[media attached(?: 1\/(\d+))?: /m;

function attachmentCount({ content, parts }: UserMessage): { readonly attachments?: number } {
  const note = parts === undefined ? null : MEDIA_NOTE.exec(plainText(content));
  return note === null ? {} : { attachments: Number(note[1] ?? 1) };
}

function assistantEntry(base: { readonly id: string; readonly timestampMs: number }, message: AssistantMessage): ChatEntry {
  const thinking = thinkingText(message);
  return {
    type: "assistant",
    ...base,
    text: visibleText(message),
    ...(thinking === "" ? {} : { thinking }),
    toolCalls: message.content.flatMap((block) => (block.type === "toolCall" ? [chatToolCall(block)] : [])),
    model: `${message.provider}/${message.model}`,
    stopReason: message.stopReason,
    ...withoutUndefined({ errorMessage: message.errorMessage }),
  };
}

/** The visible text of an answer: text blocks without directives, files by name. Empty if the assistant chose silence. */
function visibleText(message: AssistantMessage): string {
  const reply = parseReply(answerText(message));
  if (reply.type === "silent") return "";
  return reply.media.length === 0 ? reply.text : [reply.text, mediaWords(reply.media)].join("\n\n").trim();
}

/** The text blocks of an answer, as the model wrote them. */
export function answerText(message: AssistantMessage): string {
  return message.content.flatMap((block) => (block.type === "text" && block.text.trim() !== "" ? [block.text] : [])).join("\n\n");
}

/** The thinking text of an answer, as far as its provider exposes it. */
export function thinkingText(message: AssistantMessage): string {
  return message.content.flatMap((block) => (block.type === "thinking" && block.text !== "" ? [block.text] : [])).join("\n\n");
}

/** Converts a tool call for clients. */
export function chatToolCall(call: { readonly id: string; readonly name: string; readonly arguments: unknown }): ChatToolCall {
  return { id: call.id, name: call.name, argumentsText: cut(JSON.stringify(call.arguments), MAX_ARGUMENT_CHARS) };
}

function plainText(content: readonly (TextContent | ImageContent)[]): string {
  return content.map((block) => (block.type === "text" ? block.text : "[image]")).join("\n");
}

function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars)}…`;
}
