import type { ChannelCapabilities, Outbound, SendReceipt } from "@factotum/channel-contract";
import { chunkMarkdown, measure } from "@factotum/channel-kit";
import type { NewOutbound, OutboxRecord, StoredOutbound } from "@factotum/store";
import { withoutUndefined } from "@factotum/agent-contract";
import { sendKey } from "../kernel/idempotency-key.ts";
import { unsentFile } from "../media/media-words.ts";
import { plainText } from "./plain-text.ts";

/** Shortest text that is split for being too long: twice the minimum length of a part. */
const MIN_SPLIT_LENGTH = 64;

/** Maximum replacements of a message: repeated halving, and plain text last. */
const MAX_STEPS = 12;

/** A row that its platform rejected, as its channel was given it. */
export interface Refusal {
  readonly receipt: Extract<SendReceipt, { type: "rejected" }>;
  /** The type that the channel was given: an edit of a message that was never shown is sent as text. */
  readonly sentAs: Outbound["type"];
}

/**
 * Replaces a row that its platform rejected for good with a simpler form: halves of a text that is too long, plain text for rejected markup, a message without
 * the reply to a deleted one, a new message with what an edit could not add, text for a file. `undefined` if no simpler form is left.
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

/** Replaces an edit: a message that cannot be edited keeps what it shows; a deleted one shows nothing. */
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
