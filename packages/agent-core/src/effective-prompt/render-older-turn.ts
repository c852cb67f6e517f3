import type { JsonObject, JsonValue, UserMessageParts } from "@factotum/agent-contract";
import { splitEffectivePrompt, type PromptBlock } from "../report/split-effective-prompt.ts";
import { cutText } from "../text/cut-text.ts";
import { limitBlock, MAX_OLDER_BLOCK_CHARS } from "./limit-block.ts";
import { renderKeptBody } from "./render-body.ts";
import { renderJson } from "./render-json.ts";

/** What the session's prompt already says about every turn. */
export interface OlderTurnOptions {
  /** The channel that the system prompt was rendered for: turns of other channels keep their channel's name. */
  readonly promptChannel?: string;
  /** Looks up an earlier message by its platform id, for a reply whose platform gave only the id. */
  readonly repliedTo?: (messageId: string) => EarlierMessage | undefined;
}

/** A message that a later one may reply to. */
export interface EarlierMessage {
  readonly timestamp: JsonValue | undefined;
  readonly body: string;
}

/** The lasting facts of a turn: its time and sender. Ids and facts that only mattered for its answer are removed. */
const TRUSTED_FIELDS = ["schema", "delimiter", "timestamp", "channel", "sender", "owner", "run", "agent_to_agent"] as const;
/** Platform ids that only the `message` tool takes: useless in a later turn. */
const RAW_IDS: ReadonlySet<string> = new Set(["chat_id", "sender_id", "id"]);
const REPLIED = "replied message (untrusted)";
/** Announcements for the answer to the turn itself. */
const ANNOUNCEMENTS: ReadonlySet<string> = new Set(["media reply hint", "session hint", "bootstrap truncation warning"]);

/**
 * Re-renders an older turn from its original text: timestamp, channel if it differs, owner flag, sender, body, system events, media notes, and every block of
 * quoted, forwarded, group-history or file text, each at most 1,000 characters. Ids and announcements are removed.
 *
 * Pure and idempotent. `undefined` for a text that this product has not rendered.
 */
export function renderOlderTurn(text: string, parts: UserMessageParts, options: OlderTurnOptions = {}): string | undefined {
  const [trusted, ...pieces] = splitEffectivePrompt(text);
  const fields = trusted?.id === "trusted" ? parseBlock(trusted.text) : undefined;
  if (fields === undefined) return undefined;
  const bodyAt = pieces.findIndex(({ id }) => id === "body");
  const head = bodyAt === -1 ? pieces : pieces.slice(0, bodyAt);
  const firstEvent = head.findIndex(({ id }) => id === "system-event");
  const before = firstEvent === -1 ? head : head.slice(0, firstEvent);
  const body = renderKeptBody(parts);
  return [
    `Inbound context (trusted):\n${renderJson(keptFields(fields, options))}`,
    ...before.flatMap(({ id, text: piece }) => renderPiece(id, piece, parts)),
    ...parts.systemEvents,
    ...head.slice(before.length).flatMap(({ id, text: piece }) => renderPiece(id, piece, parts)),
    ...repliedBlock(fields, head, options),
    ...(body === "" ? [] : [body]),
    ...(bodyAt === -1 ? [] : pieces.slice(bodyAt + 1).flatMap(({ id, text: piece }) => renderPiece(id, piece, parts))),
  ].join("\n");
}

function keptFields(fields: JsonObject, { promptChannel }: OlderTurnOptions): JsonObject {
  const isKept = (name: string, value: JsonValue | undefined): boolean => {
    if (name === "channel") return value !== promptChannel;
    return name !== "run" || value !== "user";
  };
  return Object.fromEntries(
    TRUSTED_FIELDS.filter((name) => fields[name] !== undefined && isKept(name, fields[name])).map((name) => [
      name,
      name === "agent_to_agent" ? requesterOf(fields[name]) : fields[name],
    ]),
  );
}

/** The replied-to message, if only its id was given: the id is removed, so the earlier message is quoted instead. */
function repliedBlock(fields: JsonObject, head: readonly PromptBlock[], { repliedTo }: OlderTurnOptions): readonly string[] {
  const { reply_to_id: id, delimiter } = fields;
  if (typeof id !== "string" || typeof delimiter !== "string" || head.some((piece) => piece.id === REPLIED)) return [];
  const earlier = repliedTo?.(id);
  if (earlier === undefined) return [];
  const value = limitBlock({ timestamp: earlier.timestamp, is_quote: false, body: earlier.body });
  return [`[${delimiter} Replied message (untrusted)]\n${renderJson(value)}\n[/${delimiter}]`];
}

/** The id of a message and the text that replies quote; `undefined` for a text without one. */
export function readEarlierMessage(text: string, { body }: UserMessageParts): (EarlierMessage & { readonly id: string }) | undefined {
  const [trusted] = splitEffectivePrompt(text);
  const fields = trusted?.id === "trusted" ? parseBlock(trusted.text) : undefined;
  const id = fields?.["message_id"];
  return typeof id === "string" ? { id, timestamp: fields?.["timestamp"], body } : undefined;
}

/** The requesting agent; the state of the exchange concerns its own turn alone. */
function requesterOf(value: JsonValue | undefined): JsonValue | undefined {
  if (!isObject(value)) return undefined;
  return { requester_session: value["requester_session"], requester_channel: value["requester_channel"] };
}

function renderPiece(id: string, text: string, { bodyType }: UserMessageParts): readonly string[] {
  if (id === "body" || id === "system-event" || ANNOUNCEMENTS.has(id)) return [];
  const whole = text.replace(/\n$/, "");
  // A task is shown verbatim, so a line in it may look like a media note.
  if (id === "media-note") return bodyType === "task" ? [] : [whole];
  const [open = "", ...rest] = whole.split("\n");
  const close = rest.pop() ?? "";
  const content = rest.join("\n");
  const value = id.endsWith("(untrusted)") ? parseJson(content) : undefined;
  if (value === undefined) return [[open, cutText(content, MAX_OLDER_BLOCK_CHARS, "…"), close].join("\n")];
  const kept = isObject(value) ? withoutIds(value) : value;
  return isObject(kept) && Object.keys(kept).length === 0 ? [] : [[open, renderJson(limitBlock(kept)), close].join("\n")];
}

function withoutIds(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !RAW_IDS.has(name)));
}

/** The JSON on the second line of a block; `undefined` for other text. */
function parseBlock(text: string): JsonObject | undefined {
  const value = parseJson(text.split("\n")[1] ?? "");
  return isObject(value) ? value : undefined;
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
