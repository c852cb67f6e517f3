import type { ChannelCapabilities } from "@factotum/channel-contract";
import { INBOUND } from "./transport/inbound.ts";

/** Declared capabilities must be sent; the gateway converts everything else into them. */
export const SAMPLE_CHAT_CAPABILITIES: ChannelCapabilities = {
  addressing: "platform",
  inbound: INBOUND,
  text: { maxLength: 4_000, unit: "utf16", markdown: "none", dialect: "plain" },
  threads: "flat",
  edit: false,
  delete: false,
  reactions: false,
  polls: false,
  typing: false,
  media: [],
  nativeCommands: false,
  buttons: false,
  cards: false,
  streaming: "none",
  idempotentSend: { windowMs: 60 * 60_000, maxKeyLength: 64 },
  caseSensitiveIds: true,
  actions: [],
};
