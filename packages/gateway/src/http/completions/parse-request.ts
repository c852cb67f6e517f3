import { NO_USAGE } from "@factotum/agent-contract";
import type { AgentMessage, JsonObject, ToolSchema } from "@factotum/agent-contract";
import { IMAGE_REMOVED } from "@factotum/agent-core";
import type { ClientResult } from "@factotum/store";
import * as z from "zod";
import { readRequestedTools, ToolsSchema } from "./client-tools.ts";
import { CompletionRequestError } from "./completion-request-error.ts";
import { readInlineImage } from "./inline-images.ts";
import type { InlineImage } from "./inline-images.ts";
import { explainIssue } from "./explain-issue.ts";
import { isNeutral, refuseUnsupported } from "./parameters.ts";

/** A parsed chat completion request. */
export interface CompletionRequest {
  /** As named by the client. */
  readonly model: string;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly user: string | undefined;
  /** `system` and `developer` messages, in order. */
  readonly extra: string | undefined;
  /** Tools of the client that the model is offered. */
  readonly tools: readonly ToolSchema[];
  /** Everything before the new input. */
  readonly history: readonly AgentMessage[];
  /** The new input: results of the calls of the last answer, … */
  readonly results: readonly ClientResult[];
  /** … and the user messages after it. */
  readonly text: string;
  /** Its images, in the order of sending. */
  readonly images: readonly InlineImage[];
  /** Parameters that have no effect. */
  readonly ignored: readonly string[];
}

const PartSchema = z.lazy(() =>
  z.looseObject({
    type: z.string(),
    text: z.string().optional(),
    image_url: z.looseObject({ url: z.string() }).optional(),
  }),
);
const ContentSchema = z.union([z.string(), z.array(PartSchema)]).nullish();
const ToolCallSchema = z.lazy(() =>
  z.looseObject({
    id: z.string().min(1),
    function: z.looseObject({ name: z.string().min(1), arguments: z.string() }),
  }),
);
const MessageSchema = z.lazy(() =>
  z.discriminatedUnion("role", [
    z.looseObject({ role: z.literal("system"), content: ContentSchema }),
    z.looseObject({ role: z.literal("developer"), content: ContentSchema }),
    z.looseObject({ role: z.literal("user"), content: ContentSchema }),
    z.looseObject({ role: z.literal("assistant"), content: ContentSchema, tool_calls: z.array(ToolCallSchema).nullish() }),
    z.looseObject({ role: z.literal("tool"), content: ContentSchema, tool_call_id: z.string().min(1) }),
  ]),
);
const RequestSchema = z.lazy(() =>
  z.looseObject({
    model: z.string().min(1),
    messages: z.array(MessageSchema).min(1),
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
    user: z.string().min(1).max(200).nullish(),
    tools: ToolsSchema.nullish(),
  }),
);
type ParsedMessage = z.infer<typeof MessageSchema>;

/** The name of an image in refusals and ignored parameters. */
export const IMAGE_PARAM = "messages.content.image_url";

const USED: ReadonlySet<string> = new Set(["model", "messages", "stream", "stream_options", "user", "tools", "tool_choice"]);

/**
 * Parses a request body; rejects with what to change. Parameters without effect are listed in the result, except for those that would change the content of the
 * answer: they are refused.
 */
export function parseCompletionRequest(body: unknown, nowMs: number): CompletionRequest {
  const parsed = RequestSchema.safeParse(body);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const param = issue?.path.map(String).join(".") ?? "";
    throw new CompletionRequestError(
      `${param === "" ? "The body" : param}: ${issue === undefined ? "it is not valid" : explainIssue(issue, body)}`,
      {
        status: 400,
        param: param === "" ? null : param,
        code: "invalid_value",
      },
    );
  }
  refuseUnsupported(parsed.data);
  const { model, messages, stream, stream_options: streamOptions, user } = parsed.data;
  const ignored = Object.entries(parsed.data)
    .filter(([key, value]) => !USED.has(key) && value !== null && value !== undefined && !isNeutral(key, value))
    .map(([key]) => key);
  const spoken = messages.filter((message) => message.role !== "system" && message.role !== "developer");
  const cut = spoken.findLastIndex((message) => message.role === "assistant") + 1;
  const now = new Set<ParsedMessage>(spoken.slice(cut));
  const said = readSaid([...now].filter(({ role }) => role === "user"));
  const earlier = messages.filter((message) => !now.has(message));
  ignored.push(...new Set([...said.ignored, ...earlier.flatMap(({ content }) => unusedParts(content))]));
  const { text, images } = said;
  const results = [...now].flatMap((message) =>
    message.role === "tool" ? [{ callId: message.tool_call_id, text: contentText(message.content) }] : [],
  );
  if (text === "" && images.length === 0 && results.length === 0)
    throw new CompletionRequestError(
      "messages: the last message must be the user's and must hold text, or an image as a data: URL; or it is the result of a tool call.",
      { status: 400, param: "messages", code: "invalid_value" },
    );
  const requested = readRequestedTools(parsed.data.tools ?? [], parsed.data["tool_choice"]);
  ignored.push(...requested.ignored);
  const extra = messages
    .filter((message) => message.role === "system" || message.role === "developer")
    .map(({ content }) => contentText(content))
    .filter((part) => part.trim() !== "")
    .join("\n\n");
  return {
    model,
    stream: stream ?? false,
    includeUsage: streamOptions?.include_usage ?? false,
    user: user ?? undefined,
    extra: extra === "" ? undefined : extra,
    tools: requested.tools,
    results,
    history: spoken.slice(0, cut).map((message) => historyMessage(message, spoken, nowMs)),
    text,
    images,
    ignored,
  };
}

/** The new input. Remote images are not fetched: they are listed as ignored. */
function readSaid(messages: readonly ParsedMessage[]): Pick<CompletionRequest, "text" | "images" | "ignored"> {
  const images: InlineImage[] = [];
  const ignored: string[] = [];
  for (const part of messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))) {
    if (part.type === "text") continue;
    const image = part.type === "image_url" ? readInlineImage(part.image_url?.url ?? "", IMAGE_PARAM) : undefined;
    if (image === undefined) ignored.push(part.type === "image_url" ? IMAGE_PARAM : "messages.content");
    else images.push(image);
  }
  const text = messages
    .map(({ content }) => contentText(content))
    .filter((part) => part.trim() !== "")
    .join("\n\n");
  return { text, images, ignored };
}

function unusedParts(content: ParsedMessage["content"]): readonly string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap(({ type }) => (type === "text" ? [] : [type === "image_url" ? IMAGE_PARAM : "messages.content"]));
}

function contentText(content: z.infer<typeof ContentSchema>): string {
  if (content === null || content === undefined) return "";
  return typeof content === "string" ? content : content.flatMap((part) => (part.type === "text" ? [part.text ?? ""] : [])).join("\n");
}

function historyMessage(message: ParsedMessage, all: readonly ParsedMessage[], timestamp: number): AgentMessage {
  const text = contentText(message.content);
  switch (message.role) {
    case "assistant": {
      const calls = (message.tool_calls ?? []).map((call) => ({
        type: "toolCall" as const,
        id: call.id,
        name: call.function.name,
        arguments: argumentsOf(call.function.arguments),
        client: true as const,
      }));
      return {
        role: "assistant",
        content: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...calls],
        api: "http",
        provider: "client",
        model: "client",
        usage: NO_USAGE,
        stopReason: calls.length > 0 ? "toolUse" : "stop",
        timestamp,
      };
    }
    case "tool":
      return {
        role: "toolResult",
        toolCallId: message.tool_call_id,
        toolName: toolName(message.tool_call_id, all),
        content: [{ type: "text", text }],
        isError: false,
        tainted: true,
        timestamp,
      };
    default:
      return { role: "user", content: [{ type: "text", text: [text, ...removedImages(message.content)].join("\n").trim() }], timestamp };
  }
}

/** Images of earlier messages become text: they are sent only once. */
function removedImages(content: ParsedMessage["content"]): readonly string[] {
  return Array.isArray(content) ? content.flatMap(({ type }) => (type === "image_url" ? [IMAGE_REMOVED] : [])) : [];
}

function toolName(callId: string, all: readonly ParsedMessage[]): string {
  for (const message of all) {
    const call = message.role === "assistant" ? message.tool_calls?.find(({ id }) => id === callId) : undefined;
    if (call !== undefined) return call.function.name;
  }
  return "unknown";
}

function argumentsOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
  } catch (error) {
    throw new CompletionRequestError("messages: the arguments of a tool call are not JSON.", {
      status: 400,
      param: "messages",
      code: String(error instanceof SyntaxError ? "invalid_json" : "invalid_value"),
    });
  }
}
