import type { AgentToolResult, ImageContent, JsonValue, TextContent } from "@factotum/agent-contract";
import { isObject } from "./check-schema.ts";
import { renderPart } from "./render-result.ts";

const MAX_MESSAGES = 100;

/** Converts the messages of a prompt to what a person would say: those of a dialogue are marked with who speaks. */
export function renderPrompt(result: unknown): AgentToolResult {
  const listed = isObject(result) && Array.isArray(result["messages"]) ? (result["messages"] as readonly JsonValue[]) : [];
  const messages = listed.slice(0, MAX_MESSAGES).flatMap((message) => (isObject(message) ? [message] : []));
  if (messages.length === 0) return { content: [{ type: "text", text: "The server returned an empty prompt." }], isError: true };
  const isDialogue = messages.some(({ role }) => role === "assistant");
  const content = messages.flatMap(({ role, content: said }): readonly (TextContent | ImageContent)[] => {
    const parts = (Array.isArray(said) ? (said as readonly JsonValue[]) : [said]).flatMap((part) =>
      part === undefined ? [] : [renderPart(part)],
    );
    return isDialogue ? [{ type: "text", text: role === "assistant" ? "Assistant:" : "User:" }, ...parts] : parts;
  });
  return { content };
}
