import { withoutUndefined } from "@factotum/agent-contract";
import type { AgentToolResult, JsonObject } from "@factotum/agent-contract";

/** What a result carries in addition to its text. */
interface ResultFacts {
  readonly details?: JsonObject;
  readonly untrusted?: boolean;
}

/** A result of one text. */
export function textResult(text: string, facts: ResultFacts = {}): AgentToolResult {
  const { details, untrusted = false } = facts;
  return { content: [{ type: "text", text }], ...withoutUndefined({ details }), ...(untrusted ? { untrusted } : {}) };
}

/** A failure of a tool with untrusted output whose text holds nothing of others: it does not taint (R23). */
export function ownError(text: string): AgentToolResult {
  return { ...errorResult(text), untrusted: false };
}

/** A failure that the model can act on. */
export function errorResult(text: string, facts: ResultFacts = {}): AgentToolResult {
  return { ...textResult(text, facts), isError: true };
}
