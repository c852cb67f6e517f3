import type { ChannelCapabilities } from "@factotum/channel-contract";

const MAX_FILE_BYTES = 10 * 1024 * 1024;
const DAY_MS = 24 * 60 * 60_000;

/** Few, so that a service has to understand a single kind of request: a whole message. */
export const WEBHOOK_CAPABILITIES: ChannelCapabilities = {
  addressing: "platform",
  inbound: { delivery: "redelivers", transport: "webhook", webhookAuth: "signature" },
  text: { maxLength: 16_000, unit: "utf16", markdown: "full", dialect: "markdown" },
  threads: "native",
  edit: false,
  delete: false,
  reactions: false,
  polls: false,
  typing: false,
  media: (["image", "audio", "video", "file"] as const).map((kind) => ({ kind, maxBytes: MAX_FILE_BYTES })),
  voiceMessages: true,
  nativeCommands: false,
  buttons: false,
  cards: false,
  optional: ["probe"],
  streaming: "none",
  idempotentSend: { windowMs: DAY_MS, maxKeyLength: 64 },
  caseSensitiveIds: true,
  events: ["edit", "delete", "reaction"],
  actions: [],
};
