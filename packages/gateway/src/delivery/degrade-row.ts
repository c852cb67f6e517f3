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
 * the reply to a deleted one, a new message with what an edit could not add, text for a file, a card or a poll, single
 * files for an album. `undefined` if no simpler form is left.
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
    ...withoutUndefined({ slot: row.slot }),
    state: "waiting",
  }));
}

function instead(
  outbound: StoredOutbound,
  { receipt, sentAs }: Refusal,
  { text: limits }: ChannelCapabilities,
): readonly StoredOutbound[] | undefined {
  if (outbound.type === "delete" || outbound.type === "reaction") return undefined;
  if (outbound.type === "album" && sentAs === "album")
    return outbound.files.map((file) => ({ ...file, type: "media", text: `📎 ${file.fileName}` }));
  const { text } = outbound;
  const words = asText(outbound);
  // A channel that refuses the form may still take the text.
  if (sentAs === "card" || sentAs === "poll" || sentAs === "edit-card") {
    const parts = chunkMarkdown(text, { maxLength: limits.maxLength, unit: limits.unit });
    return receipt.code === "forbidden" ? undefined : parts.map((part) => ({ ...words, text: part.text }));
  }
  if (sentAs === "media") return text === "" ? undefined : [{ ...words, text: unsentFile(text) }];
  if (sentAs === "edit" && outbound.type === "edit") return insteadOfEdit(outbound, receipt.code, limits);
  return insteadOfText(words, receipt.code, limits);
}

/** The text of a row, for the same people. */
function asText(outbound: Exclude<StoredOutbound, { type: "delete" | "reaction" }>): StoredText {
  const { text, replyTo, silent, onlyFor, mentions }: Partial<Omit<StoredText, "type">> & { readonly text: string } = outbound;
  return { type: "text", text, ...withoutUndefined({ replyTo, silent, onlyFor, mentions }) };
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
  { replyTo, ...words }: StoredText,
  code: Extract<SendReceipt, { type: "rejected" }>["code"],
  limits: ChannelCapabilities["text"],
): readonly StoredOutbound[] | undefined {
  const { text } = words;
  switch (code) {
    case "too-long": {
      const length = measure(text, limits.unit);
      if (length < MIN_SPLIT_LENGTH) return undefined;
      const parts = chunkMarkdown(text, { maxLength: Math.max(MIN_SPLIT_LENGTH / 2, Math.ceil(length / 2)), unit: limits.unit });
      if (parts.length < 2) return undefined;
      return parts.map((part, index) => ({ ...words, text: part.text, ...(index === 0 && replyTo !== undefined ? { replyTo } : {}) }));
    }
    case "rejected": {
      const plain = plainText(text);
      if (plain !== text.trim() && plain !== "") return [{ ...words, text: plain, ...withoutUndefined({ replyTo }) }];
      return replyTo === undefined ? undefined : [words];
    }
    case "not-found":
      return replyTo === undefined ? undefined : [words];
    default:
      return undefined;
  }
}
