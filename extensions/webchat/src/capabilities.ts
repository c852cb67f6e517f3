import type { ChannelCapabilities } from "@factotum/channel-contract";

/** The capabilities of the page. */
export const WEBCHAT_CAPABILITIES: ChannelCapabilities = {
  addressing: "session-key",
  inbound: { delivery: "redelivers", transport: "connection" },
  // 100,000 UTF-16 units fit into the protocol's frame of 1 MiB even if JSON escapes each of them as six bytes.
  text: { maxLength: 100_000, unit: "utf16", markdown: "full", dialect: "markdown" },
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
  // The key is stored with the entry, which outlives every retry; 200 characters is the protocol's bound.
  idempotentSend: { windowMs: 30 * 24 * 60 * 60 * 1000, maxKeyLength: 200 },
  // The page keeps unsent messages and sends them when the gateway is back.
  acceptsOldMessages: true,
  caseSensitiveIds: true,
  idScope: "platform",
  actions: [],
};
