import type { JsonValue } from "@factotum/agent-contract";

/** What an update of a session says, as far as a conversation keeps it. */
type AgentUpdate =
  | { readonly type: "text" | "thought"; readonly text: string }
  /** About a call of the agent's own. */
  | { readonly type: "own-call"; readonly said: Readonly<Record<string, unknown>> }
  | { readonly type: "plan"; readonly entries: unknown }
  /** The cost of the session so far, in US dollars. */
  | { readonly type: "cost"; readonly usd: number };

/** An update with the agent's id of its session. */
export interface SessionUpdate {
  readonly sessionId: string;
  readonly update: AgentUpdate | undefined;
}

const MAX_TITLE_CHARS = 300;

/**
 * Parses the parameters of `session/update`. Never throws: what cannot be read says nothing.
 */
export function parseUpdate(params: unknown): SessionUpdate | undefined {
  const { sessionId, update } = objectOf(params);
  if (typeof sessionId !== "string") return undefined;
  return { sessionId, update: read(objectOf(update)) };
}

function read(update: Readonly<Record<string, unknown>>): AgentUpdate | undefined {
  switch (update["sessionUpdate"]) {
    case "agent_message_chunk":
      return textOf("text", update["content"]);
    case "agent_thought_chunk":
      return textOf("thought", update["content"]);
    case "tool_call":
    case "tool_call_update":
      return { type: "own-call", said: update };
    case "plan":
      return { type: "plan", entries: update["entries"] };
    case "usage_update": {
      const { amount, currency } = objectOf(update["cost"]);
      return typeof amount === "number" && amount >= 0 && currency === "USD" ? { type: "cost", usd: amount } : undefined;
    }
    default:
      return undefined;
  }
}

function textOf(type: "text" | "thought", content: unknown): AgentUpdate | undefined {
  const block = objectOf(content);
  if (block["type"] === "text" && typeof block["text"] === "string") return { type, text: block["text"].toWellFormed() };
  if (block["type"] === "resource_link" && typeof block["uri"] === "string") return { type, text: block["uri"].toWellFormed() };
  return undefined;
}

/** The title of a call of the agent's own, for people. */
export function titleOf({ title, name, toolCallId }: Readonly<Record<string, unknown>>): string {
  const found = [title, name, toolCallId].find((one): one is string => typeof one === "string" && one.trim() !== "");
  return cut(found ?? "a call", MAX_TITLE_CHARS);
}

/** The first characters of a text. */
export function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text.toWellFormed() : `${text.slice(0, maxChars).toWellFormed()}…`;
}

/** An object, or an empty one. */
export function objectOf(value: unknown): Readonly<Record<string, JsonValue | undefined>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, JsonValue>>) : {};
}

/** The objects of a list; empty for what is no list. */
export function listOf(value: unknown): readonly ReturnType<typeof objectOf>[] {
  return Array.isArray(value) ? value.map((one) => objectOf(one)) : [];
}
