import type { ChannelCapabilities, MediaKind } from "@factotum/channel-contract";

/** Maximum characters of one mail. Mail has no limit; a longer text would take seconds to render, and becomes several mails. */
export const MAX_TEXT_LENGTH = 30_000;

/** Encoded it stays below 25 MiB, which most servers take. */
export const MAX_FILE_BYTES: number = 18 * 1024 * 1024;

/** Files of one mail. */
export const MAX_FILES = 20;

const KINDS: readonly MediaKind[] = ["image", "audio", "video", "file"];

/** The implemented and tested capabilities. */
export const EMAIL_CAPABILITIES: ChannelCapabilities = {
  addressing: "platform",
  inbound: { delivery: "redelivers", transport: "connection" },
  text: { maxLength: MAX_TEXT_LENGTH, unit: "utf16", markdown: "full", dialect: "email" },
  threads: "native",
  edit: false,
  delete: false,
  reactions: false,
  polls: false,
  typing: false,
  media: KINDS.map((kind) => ({ kind, maxBytes: MAX_FILE_BYTES })),
  nativeCommands: false,
  buttons: false,
  cards: false,
  limits: { captionLength: MAX_TEXT_LENGTH, filesPerMessage: MAX_FILES },
  optional: ["probe", "reconcile"],
  streaming: "none",
  acceptsOldMessages: true,
  caseSensitiveIds: false,
  replyContext: true,
  actions: [],
};
