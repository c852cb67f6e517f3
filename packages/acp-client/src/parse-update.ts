import type { JsonValue } from "@factotum/agent-contract";

/** What an update of a session says, as far as a conversation keeps it. */
type AgentUpdate =
  | { readonly type: "text" | "thought"; readonly text: string }
  /** The cost of the session so far, in US dollars. */
  | { readonly type: "cost"; readonly usd: number };

/** An update with the agent's id of its session. */
export interface SessionUpdate {
  readonly sessionId: string;
  readonly update: AgentUpdate | undefined;
}

const MAX_TITLE_CHARS = 300;
const MAX_PLAN_CHARS = 8_000;

const PLAN_MARKS: Readonly<Record<string, string>> = { completed: "[x]", in_progress: "[>]", pending: "[ ]" };

/**
 * Parses the parameters of `session/update`. Text is text; thoughts, the agent's own calls and its plans are thoughts, since nothing of them runs here. Never
 * throws: what cannot be read says nothing.
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
      return { type: "thought", text: `\n${titleOf(update)}\n` };
    case "tool_call_update": {
      // Its beginning has named it.
      const failed = update["status"] === "failed";
      return failed ? { type: "thought", text: `\n${titleOf(update)} failed\n` } : undefined;
    }
    case "plan":
      return { type: "thought", text: `\n${planText(update["entries"])}\n` };
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

function planText(entries: unknown): string {
  const rows = Array.isArray(entries) ? entries.map((entry) => objectOf(entry)) : [];
  const lines = rows.flatMap(({ content, status }) =>
    typeof content === "string"
      ? [`${PLAN_MARKS[typeof status === "string" ? status : ""] ?? "[ ]"} ${cut(content, MAX_TITLE_CHARS)}`]
      : [],
  );
  return cut(lines.join("\n"), MAX_PLAN_CHARS);
}

/** The first characters of a text. */
export function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text.toWellFormed() : `${text.slice(0, maxChars).toWellFormed()}…`;
}

/** An object, or an empty one. */
export function objectOf(value: unknown): Readonly<Record<string, JsonValue | undefined>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, JsonValue>>) : {};
}
