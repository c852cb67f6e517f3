import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { withoutUndefined } from "@factotum/agent-contract";
import type { CacheRetention } from "@factotum/agent-contract";
import { markForCaching } from "../anthropic-messages/cache-marks.ts";
import { asRecord } from "../errors/vendor-error.ts";

/** Roles whose texts can carry a mark. */
const MARKED_ROLES: ReadonlySet<unknown> = new Set(["system", "user", "tool"]);

/** Sets Anthropic's cache marks for a server that passes them on over the chat endpoint (OpenRouter). `moveMarks` puts them into place. */
export function markClaudePrompt(prompt: LanguageModelV4Prompt, retention: CacheRetention): LanguageModelV4Prompt {
  // Tools carry no mark here: the one after the system prompt covers them, since they come before it.
  return markForCaching(prompt, [], retention, (control) => ({ openaiCompatible: { cache_control: { ...control } } })).prompt;
}

/**
 * Moves each mark onto a block of text, where it takes effect; the SDK puts it on the message if that is a single text. Such texts always become blocks, with
 * and without a mark, so that a request still begins with the bytes of the previous one. The halves of the system prompt become two blocks of one message.
 */
export function moveMarks(body: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(body["messages"])) return body;
  const messages = body["messages"].map(withBlocks);
  const [first, second, ...rest] = messages;
  if (first?.["role"] !== "system" || second?.["role"] !== "system") return { ...body, messages };
  const content = [first["content"], second["content"]].flat();
  return { ...body, messages: [{ role: "system", content }, ...rest] };
}

function withBlocks(value: unknown): Record<string, unknown> {
  const { cache_control: control, ...message } = asRecord(value) ?? {};
  if (typeof message["content"] !== "string" || !MARKED_ROLES.has(message["role"])) return message;
  const block = { type: "text", text: message["content"], ...withoutUndefined({ cache_control: control }) };
  return { ...message, content: [block] };
}
