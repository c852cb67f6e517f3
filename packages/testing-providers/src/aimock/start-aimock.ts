import type { FixtureResponse, LLMock } from "@copilotkit/aimock";
import { findAnthropicModel } from "../anthropic/models.ts";
import { signThinking } from "../anthropic/signature.ts";
import type { ErrorKind, MessageReply, ReplyStop, ScriptedReply } from "../strict/scripted-reply.ts";
import { startStrictServer } from "../strict/start-strict-server.ts";
import type { StrictServer, StrictServerOptions } from "../strict/strict-server.ts";
import { stopOf, type WireFormatName } from "../strict/wire.ts";

const STATUS: Readonly<Record<ErrorKind, number>> = {
  "invalid-request": 400,
  authentication: 401,
  permission: 403,
  "not-found": 404,
  "request-too-large": 413,
  "rate-limit": 429,
  quota: 429,
  server: 500,
  overloaded: 503,
  timeout: 504,
};

/** aimock uses OpenAI's stop reasons and translates them itself. */
const FINISH: Readonly<Record<ReplyStop, string>> = {
  stop: "stop",
  "tool-calls": "tool_calls",
  length: "length",
  refusal: "content_filter",
};

/**
 * Starts `@copilotkit/aimock` with a strict server in front of it: the strict one refuses what the vendor would refuse (aimock validates nothing), the answers
 * come from third-party code. Scripted like every {@link StrictServer}.
 *
 * It plays text, thinking, tool calls and errors. Faults, byte-wise chunks, usage and raw answers are the strict servers' own; a script with one throws a
 * `TypeError` that says so, and one with tool calls for Mistral does. Thinking carries a proof only in Anthropic's format, so replay it there alone.
 */
export async function startAimock(format: WireFormatName, options: Omit<StrictServerOptions, "upstream"> = {}): Promise<StrictServer> {
  // Loaded on use: it is large, and most tests do not need it.
  const { LLMock: Mock } = await import("@copilotkit/aimock");
  const replies: ScriptedReply[] = [];
  let responder: Parameters<StrictServer["respond"]>[0] | undefined;
  const mock: LLMock = new Mock({ host: "127.0.0.1", port: 0, logLevel: "silent" });
  const upstream = await mock.start();
  const front = await startStrictServer(format, { ...options, upstream });
  mock.on({ predicate: () => true }, async ({ model }) => {
    const last = front.requests.at(-1);
    const reply = replies.shift() ?? (last === undefined ? undefined : await responder?.(last));
    if (reply === undefined)
      return { error: { message: "No reply is scripted: call script() or respond() first.", type: "server_error" }, status: 500 };
    return toFixture(reply, format, model);
  });
  const close = async (): Promise<void> => {
    await front.close();
    await mock.stop();
  };
  return {
    format,
    baseUrl: front.baseUrl,
    requests: front.requests,
    get violations() {
      return front.violations;
    },
    script: (more) => {
      for (const reply of more) assertPlayable(reply, format);
      replies.push(...more);
    },
    respond: (next) => {
      responder = async (request) => {
        const reply = await next(request);
        assertPlayable(reply, format);
        return reply;
      };
    },
    hold: () => front.hold(),
    nextRequest: (next) => front.nextRequest(next),
    nextAborted: (next) => front.nextAborted(next),
    instantReply: (reply) => front.instantReply(reply),
    closeIdleConnections: () => front.closeIdleConnections(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function assertPlayable(reply: ScriptedReply, format: WireFormatName): void {
  const beyond =
    reply.type === "raw" ||
    (reply.type === "error" && reply.headers !== undefined) ||
    (reply.type === "message" && (reply.fault !== undefined || reply.chunkBytes !== undefined || reply.usage !== undefined));
  if (format === "mistral" && reply.type === "message" && reply.content.some(({ type }) => type === "toolCall")) {
    throw new TypeError(
      "aimock sends Mistral's tool calls in OpenAI's pieces, which no client of Mistral reads: use startStrictServer for them.",
    );
  }
  if (beyond) throw new TypeError("aimock plays text, thinking, tool calls and errors only: use startStrictServer for the rest.");
}

function toFixture(reply: ScriptedReply, format: WireFormatName, model: string): FixtureResponse {
  switch (reply.type) {
    case "raw":
      throw new TypeError("aimock plays no raw answers.");
    case "error":
      return { error: { message: reply.message, type: reply.errorType }, status: reply.status ?? STATUS[reply.errorType] };
    case "message":
      return toAnswer(reply, format, model);
  }
}

function toAnswer(reply: MessageReply, format: WireFormatName, model: string): FixtureResponse {
  const content = reply.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
  const thinking = reply.content.flatMap((block) => (block.type === "thinking" ? [block.text] : [])).join("");
  const toolCalls = reply.content.flatMap((block) => {
    if (block.type !== "toolCall") return [];
    return [{ name: block.name, arguments: JSON.stringify(block.arguments), ...(block.id !== undefined && { id: block.id }) }];
  });
  const signed = format === "anthropic-messages" && findAnthropicModel(model) !== undefined;
  const rest = {
    finishReason: FINISH[stopOf(reply)],
    ...(thinking === "" ? {} : { reasoning: thinking, ...(signed ? { reasoningSignature: signThinking(model, thinking) } : {}) }),
  };
  if (toolCalls.length === 0) return { content, ...rest };
  return content === "" ? { toolCalls, ...rest } : { content, toolCalls, ...rest };
}
