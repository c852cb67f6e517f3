import type { ActionName, ChannelCapabilities } from "@factotum/channel-contract";

/** Maximum characters (UTF-16 code units) of a text: with both forms of the text an event stays below the platform's 65,536 bytes. */
export const MAX_TEXT_LENGTH = 8_000;

/** Files over the usual limit of a homeserver are not uploaded; a lower one of the server is its own refusal. */
export const MAX_FILE_BYTES: number = 50 * 1024 * 1024;

/** Answers of a poll. */
export const MAX_POLL_OPTIONS = 20;

/** Longest idempotency key that is sent as it is; longer ones are hashed. */
export const MAX_KEY_LENGTH = 128;

/** The actions, each in `src/actions`. */
const ACTION_NAMES: readonly ActionName[] = [
  "pin",
  "unpin",
  "pins-list",
  "read",
  "search",
  "reactions-list",
  "thread-create",
  "thread-list",
  "member-info",
  "channel-info",
  "permissions",
];

/** The implemented and tested capabilities. */
export const MATRIX_CAPABILITIES: ChannelCapabilities = {
  addressing: "platform",
  inbound: { delivery: "redelivers", transport: "polling" },
  text: { maxLength: MAX_TEXT_LENGTH, unit: "utf16", markdown: "full", dialect: "matrix-html" },
  threads: "native",
  edit: true,
  // Homeservers allow an account ten messages at once, and then one in five seconds.
  edits: { minIntervalMs: 3_000 },
  delete: true,
  reactions: true,
  polls: true,
  typing: true,
  media: (["image", "audio", "video", "file"] as const).map((kind) => ({ kind, maxBytes: MAX_FILE_BYTES })),
  voiceMessages: true,
  nativeCommands: false,
  buttons: false,
  cards: false,
  limits: { captionLength: MAX_TEXT_LENGTH, pollOptions: MAX_POLL_OPTIONS },
  optional: ["probe", "directory", "history"],
  streaming: "edit",
  // Homeservers keep transaction ids for at least half an hour.
  idempotentSend: { windowMs: 30 * 60_000, maxKeyLength: MAX_KEY_LENGTH },
  caseSensitiveIds: true,
  fetchesContext: true,
  events: ["edit", "delete", "reaction", "member", "vote", "moved"],
  actions: ACTION_NAMES,
};
