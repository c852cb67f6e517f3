import type { ChannelCapabilities, Outbound, SendReceipt } from "@factotum/channel-contract";
import { chunkMarkdown, measure } from "@factotum/channel-kit";
import type { NewOutbound, OutboxRecord, StoredOutbound } from "@factotum/store";
import { withoutUndefined } from "@factotum/agent-contract";
import { sendKey } from "../kernel/idempotency-key.ts";
import { unsentFile } from "../media/media-words.ts";
import { plainText } from "./plain-text.ts";

/** Shortest text that is cut for being too long: two halves of the least message. */
const MIN_SPLIT_LENGTH = 64;

/** How often a message may take the place of another: halves of halves, and plain words at the end. */
const MAX_STEPS = 12;

/** What a platform said no to: a row as its channel was given it. */
export interface Refusal {
  readonly receipt: Extract<SendReceipt, { type: "rejected" }>;
  /** What the row was for the channel: an edit of a message that was never shown is a text. */
  readonly sentAs: Outbound["type"];
}

/**
 * What is sent in place of a row that its platform refused for good: halves of what was too long, plain words instead of markup, a message of its own
 * instead of an answer to one that is gone, a new message with what an edited one does not show yet, words instead of a file. `undefined` when nothing of
 * the message can change the answer.
 */
export function degradeRow(row: OutboxRecord, refusal: Refusal, capabilities: ChannelCapabilities): readonly NewOutbound[] | undefined {
  if ((row.replaces?.length ?? 0) >= MAX_STEPS || row.purpose === "preview") return undefined;
  const others = instead(row.outbound, refusal, capabilities);
  return others?.map((outbound, part) => ({
    sessionKey: row.sessionKey,
    target: row.target,
    outbound,
    purpose: row.purpose,
    idempotencyKey: sendKey("instead", row.idempotencyKey, part),
    dueAtMs: row.dueAtMs,
    expiresAtMs: row.expiresAtMs,
    state: "waiting",
  }));
}

function instead(
  outbound: StoredOutbound,
  { receipt, sentAs }: Refusal,
  { text: limits }: ChannelCapabilities,
): readonly StoredOutbound[] | undefined {
  if (outbound.type === "delete") return undefined;
  const { text, replyTo } = outbound;
  const words: StoredText = { type: "text", text, ...withoutUndefined({ replyTo }) };
  if (sentAs === "media") return text === "" ? undefined : [{ ...words, text: unsentFile(text) }];
  if (sentAs === "edit" && outbound.type === "edit") return insteadOfEdit(outbound, receipt.code, limits);
  return insteadOfText(words, receipt.code, limits);
}

type StoredText = Extract<StoredOutbound, { type: "text" }>;

/** A message that cannot be changed keeps what it shows; one that is gone shows nothing. */
function insteadOfEdit(
  { text, shown, replyTo }: Extract<StoredOutbound, { type: "edit" }>,
  code: Extract<SendReceipt, { type: "rejected" }>["code"],
  { maxLength, unit }: ChannelCapabilities["text"],
): readonly StoredOutbound[] {
  const from = code === "not-found" ? 0 : Math.min(shown, text.length);
  return chunkMarkdown(text, { maxLength, unit, from }).map((part, index) => ({
    type: "text",
    text: part.text,
    ...(index === 0 && replyTo !== undefined ? { replyTo } : {}),
  }));
}

function insteadOfText(
  { text, replyTo }: StoredText,
  code: Extract<SendReceipt, { type: "rejected" }>["code"],
  limits: ChannelCapabilities["text"],
): readonly StoredOutbound[] | undefined {
  switch (code) {
    case "too-long": {
      const length = measure(text, limits.unit);
      if (length < MIN_SPLIT_LENGTH) return undefined;
      const parts = chunkMarkdown(text, { maxLength: Math.max(MIN_SPLIT_LENGTH / 2, Math.ceil(length / 2)), unit: limits.unit });
      if (parts.length < 2) return undefined;
      return parts.map((part, index) => ({ type: "text", text: part.text, ...(index === 0 && replyTo !== undefined ? { replyTo } : {}) }));
    }
    case "rejected": {
      const plain = plainText(text);
      if (plain !== text.trim() && plain !== "") return [{ type: "text", text: plain, ...withoutUndefined({ replyTo }) }];
      return replyTo === undefined ? undefined : [{ type: "text", text }];
    }
    case "not-found":
      return replyTo === undefined ? undefined : [{ type: "text", text }];
    default:
      return undefined;
  }
}
