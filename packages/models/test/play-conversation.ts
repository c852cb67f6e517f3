import type { AgentMessage, ToolSchema } from "@factotum/agent-contract";
import { writtenReply, type MessageReply, type StrictServer } from "@factotum/testing-providers";
import { byteByByte, clientFor, collect, messageOf, requestOf } from "./client.ts";
import { text, user } from "./history.ts";
import { STRICT_WIRES } from "./wires/all-wires.ts";

function tool(name: string, ...parameters: readonly string[]): ToolSchema {
  const properties = Object.fromEntries(parameters.map((parameter) => [parameter, { type: "string" }]));
  return { name, description: `Does ${name}.`, parameters: { type: "object", properties, required: [...parameters] } };
}

/** The tools that the conversation calls. */
export const TOOLS = [tool("ls", "path"), tool("read", "path"), tool("write", "path", "content")];

/** Options of a run. */
export interface Run {
  readonly tools: "native" | "prompt";
  readonly replies: readonly MessageReply[];
  readonly reasoning?: boolean;
  readonly singleBytes?: boolean;
}

/** Runs the whole conversation against a server and returns the transcript. */
export async function converse(
  server: StrictServer,
  { tools, replies, reasoning = false, singleBytes = false }: Run,
): Promise<readonly AgentMessage[]> {
  const sent = tools === "prompt" ? replies.map(writtenReply) : replies;
  server.script(sent.map((reply) => (singleBytes ? { ...reply, deltaCharacters: 3 } : reply)));
  const transport = singleBytes ? { fetch: byteByByte } : {};
  const client = clientFor(STRICT_WIRES[server.format], server.baseUrl, { ...transport, info: { tools, reasoning } });
  const messages: AgentMessage[] = [user(text("帮我写一个 Python 脚本"))];
  for (const _reply of replies) {
    const message = messageOf(
      await collect(client, requestOf({ messages, tools: TOOLS, ...(reasoning ? { thinking: "high" as const } : {}) })),
    );
    messages.push(message);
    for (const part of message.content) {
      if (part.type !== "toolCall") continue;
      messages.push({
        role: "toolResult",
        toolCallId: part.id,
        toolName: part.name,
        content: [text(`${part.name}: done`)],
        isError: false,
        timestamp: 2,
      });
    }
  }
  return messages;
}

/** The transcript without inherent differences between providers. */
export function stored(messages: readonly AgentMessage[]): unknown {
  const ids = new Map<string, string>();
  const neutral = (id: string): string => ids.get(id) ?? (ids.set(id, `call ${ids.size}`), `call ${ids.size}`);
  return messages.map((message) => {
    if (message.role === "user") return { role: message.role, content: message.content };
    if (message.role === "toolResult") return { ...message, toolCallId: neutral(message.toolCallId), timestamp: 0 };
    const content = message.content.map((part) => {
      if (part.type === "toolCall") return { type: part.type, id: neutral(part.id), name: part.name, arguments: part.arguments };
      return part.type === "thinking" ? { type: part.type, text: part.text } : part;
    });
    return { role: message.role, content, stopReason: message.stopReason };
  });
}
