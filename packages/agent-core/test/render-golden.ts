import type { AgentMessage } from "@factotum/agent-contract";
import type { VariantRequest } from "./request-variants.ts";

const FENCE = "````";

/** Renders a request for reading. */
export function renderGolden({ name, run, sections, history, effective, images, tools }: VariantRequest): string {
  const half = (which: "stable" | "session"): string =>
    sections
      .filter((section) => section.half === which)
      .map(({ text }) => text)
      .join("\n\n");
  return [
    `# ${name}`,
    `Run kind \`${run}\`. Made by \`pnpm goldens\`; read the differences, they are what a model will see.`,
    "## 1. System prompt",
    "Stable half:",
    fenced(half("stable")),
    ...(half("session") === "" ? [] : ["Session half:", fenced(half("session"))]),
    "## 2. Session messages",
    ...(history.length === 0
      ? ["None."]
      : history.map((message) => `${titleOf(message)}\n\n${fenced(message.content.map(textOf).join("\n"))}`)),
    "## 3. Effective prompt",
    fenced(effective.map(({ text }) => text).join("\n")),
    "## 4. Images",
    images.length === 0 ? "None." : images.map(({ mimeType, data }) => `- ${mimeType}, ${data.length} characters of base64`).join("\n"),
    "## 5. Tools",
    tools.length === 0 ? "None." : fenced(tools.map((tool) => JSON.stringify(tool)).join("\n")),
    "",
  ].join("\n\n");
}

function fenced(text: string): string {
  return `${FENCE}text\n${text}\n${FENCE}`;
}

function titleOf(message: AgentMessage): string {
  return message.role === "toolResult" ? `toolResult of ${message.toolCallId}:` : `${message.role}:`;
}

function textOf(block: AgentMessage["content"][number]): string {
  if (block.type === "text" || block.type === "thinking") return block.text;
  return block.type === "toolCall" ? `${block.name}(${JSON.stringify(block.arguments)}) as ${block.id}` : `[${block.mimeType}]`;
}
