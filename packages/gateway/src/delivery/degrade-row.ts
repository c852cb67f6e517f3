import type { ChannelCapabilities, SendReceipt } from "@factotum/channel-contract";
import { chunkMarkdown, measure } from "@factotum/channel-kit";
import type { NewOutbound, OutboxRecord, StoredOutbound } from "@factotum/store";
import { sendKey } from "./idempotency-key.ts";
import { plainText } from "./plain-text.ts";

/** Shortest text that is cut for being too long: two halves of the least message. */
const MIN_SPLIT_LENGTH = 64;

/** How often a message may take the place of another: halves of halves, and plain words at the end. */
const MAX_STEPS = 12;

/**
 * What is sent in place of a row that its platform refused for good: halves of what was too long, plain words instead of markup, a message of its own
 * instead of an answer to one that is gone. `undefined` when nothing of the message can change the answer.
 */
export function degradeRow(
  row: OutboxRecord,
  receipt: Extract<SendReceipt, { type: "rejected" }>,
  capabilities: ChannelCapabilities,
): readonly NewOutbound[] | undefined {
  if ((row.replaces?.length ?? 0) >= MAX_STEPS) return undefined;
  const others = instead(row.outbound, receipt, capabilities);
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
  { code }: Extract<SendReceipt, { type: "rejected" }>,
  { text: limits }: ChannelCapabilities,
): readonly StoredOutbound[] | undefined {
  const { text, replyTo } = outbound;
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
      if (plain !== text.trim() && plain !== "") return [{ ...outbound, text: plain }];
      return replyTo === undefined ? undefined : [{ type: "text", text }];
    }
    case "not-found":
      return replyTo === undefined ? undefined : [{ type: "text", text }];
    default:
      return undefined;
  }
}
