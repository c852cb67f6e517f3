import type { AgentMessage, AssistantMessage, ModelRequest, TextContent, ToolResultMessage, UserMessage } from "@factotum/agent-contract";
import { renderToolPrompt } from "./tool-prompt.ts";

/**
 * The request for a model without native calls: the tools are described at the end of the stable half, calls are the model's original text, and results are a
 * user message. Pure; the rendering of a message does not depend on later ones, and a request without tools is unchanged.
 */
export function toPromptTools(request: ModelRequest): ModelRequest {
  if (request.tools.length === 0) return request;
  const stable = [request.system.stable, renderToolPrompt(request.tools)].filter((text) => text !== "").join("\n\n");
  return { ...request, system: { ...request.system, stable }, messages: tellMessages(request.messages), tools: [] };
}

function tellMessages(messages: readonly AgentMessage[]): readonly AgentMessage[] {
  const told: AgentMessage[] = [];
  let results: ToolResultMessage[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === "toolResult") {
      results.push(message);
      if (messages[index + 1]?.role === "toolResult") continue;
      told.push(tellResults(results));
      results = [];
    } else {
      told.push(message.role === "assistant" ? tellCalls(message) : message);
    }
  }
  return told;
}

/** Text and calls of one answer are one text, since the model wrote them as one. */
function tellCalls(message: AssistantMessage): AssistantMessage {
  if (!message.content.some(({ type }) => type === "toolCall")) return message;
  const thinking = message.content.filter((part) => part.type === "thinking");
  const written = message.content.flatMap((part) => {
    if (part.type === "text") return part.text.trim() === "" ? [] : [part.text.trim()];
    if (part.type === "thinking") return [];
    return [`<tool_call>\n${JSON.stringify({ name: part.name, arguments: part.arguments })}\n</tool_call>`];
  });
  return { ...message, content: [...thinking, { type: "text", text: written.join("\n") }] };
}

function tellResults(results: readonly ToolResultMessage[]): UserMessage {
  const content = results.flatMap((result): UserMessage["content"] => {
    const images = result.content.filter((part) => part.type === "image");
    const texts = result.content.flatMap((part) => (part.type === "text" && part.text.trim() !== "" ? [part.text] : []));
    const body = texts.length > 0 ? texts.join("\n") : images.length > 0 ? "(the image follows)" : "(no output)";
    const mark = result.isError ? ' error="true"' : "";
    const told: TextContent = {
      type: "text",
      // A result cannot close its own block.
      text: `<tool_result name="${result.toolName}"${mark}>\n${body.replaceAll(/<\/(?=tool_result)/gi, String.raw`<\/`)}\n</tool_result>`,
    };
    return result.isError ? [told] : [told, ...images];
  });
  return { role: "user", content, timestamp: results[0]?.timestamp ?? 0 };
}
