import { withoutUndefined } from "@factotum/agent-contract";
import type { AgentMessage } from "@factotum/agent-contract";
import type { TimeFormat } from "../effective-prompt/time-format.ts";
import { renderJson } from "../effective-prompt/render-json.ts";
import { headOf, tailOf } from "../text/cut-text.ts";
import { estimateTokens } from "../tokens/estimate-tokens.ts";

const MAX_SAID_CHARS = 8_000;
const MAX_RESULT_CHARS = 2_000;
const MAX_ARGUMENTS_CHARS = 1_000;

/** One line for the summariser, and the index of its message. */
export interface TranscriptLine {
  readonly message: number;
  readonly text: string;
  readonly tokens: number;
}

/**
 * Renders a history for a summariser: one JSON object per line with the time of its message, so that no text can imitate another line. Thinking is left out,
 * long texts lose their middle, images are named; no line exceeds `maxTokens`.
 */
export function renderTranscript(
  messages: readonly AgentMessage[],
  { maxTokens, time }: { readonly maxTokens: number; readonly time: TimeFormat },
): readonly TranscriptLine[] {
  return messages.flatMap((message, index) =>
    linesOf(message).map(({ fields, ...line }) => {
      const text = fitted({ ...line, fields: { ...fields, time: time.timestamp(message.timestamp) } }, maxTokens);
      return { message: index, text, tokens: estimateTokens(text) + 1 };
    }),
  );
}

interface Line {
  readonly fields: Readonly<Record<string, string | boolean>>;
  readonly text: string;
  readonly maxChars: number;
}

function linesOf(message: AgentMessage): readonly Line[] {
  switch (message.role) {
    case "user": {
      const { parts } = message;
      const text = parts === undefined ? textOf(message.content) : [...parts.systemEvents, parts.body].join("\n");
      const sender = parts?.sender?.name ?? parts?.sender?.id;
      return [
        {
          fields: { role: "user", ...withoutUndefined({ sender }), ...(parts?.sender?.owner === true ? { owner: true } : {}) },
          text: `${text}${imagesOf(message.content)}`,
          maxChars: MAX_SAID_CHARS,
        },
      ];
    }
    case "assistant": {
      const said = textOf(message.content);
      return [
        ...(said.trim() === "" ? [] : [{ fields: { role: "assistant" }, text: said, maxChars: MAX_SAID_CHARS }]),
        ...message.content.flatMap((block) =>
          block.type === "toolCall"
            ? [{ fields: { role: "call", tool: block.name }, text: JSON.stringify(block.arguments), maxChars: MAX_ARGUMENTS_CHARS }]
            : [],
        ),
      ];
    }
    case "toolResult":
      return [
        {
          fields: { role: "result", tool: message.toolName, ...(message.isError ? { error: true } : {}) },
          text: `${textOf(message.content)}${imagesOf(message.content)}`,
          maxChars: MAX_RESULT_CHARS,
        },
      ];
    default:
      return message satisfies never;
  }
}

function fitted({ fields, text, maxChars }: Line, maxTokens: number): string {
  for (let chars = maxChars; ; chars = Math.floor(chars / 2)) {
    const line = renderJson({ ...fields, text: withoutMiddle(text, chars) });
    if (chars === 0 || estimateTokens(line) < maxTokens) return line;
  }
}

function withoutMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${headOf(text, Math.ceil(maxChars * 0.7))} […] ${tailOf(text, Math.floor(maxChars * 0.3))}`;
}

function textOf(content: AgentMessage["content"]): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function imagesOf(content: AgentMessage["content"]): string {
  const count = content.filter(({ type }) => type === "image").length;
  return count === 0 ? "" : `\n(${count} ${count === 1 ? "image" : "images"})`;
}
