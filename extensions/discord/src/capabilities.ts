import type { ActionName, ChannelCapabilities } from "@factotum/channel-contract";

/** Maximum characters (UTF-16 code units) of a message, rendered or not: the platform's own limit. */
export const MAX_TEXT_LENGTH = 2_000;
/** Longer messages fill a screen; the gateway cuts answers there. */
const MAX_LINES = 17;

/** The platform takes files of this size from bots where no server was boosted. */
export const MAX_FILE_BYTES: number = 10 * 1024 * 1024;
/** Files of one message. */
export const MAX_FILES = 10;

/** Limits of buttons. Values are kept in the account's state, since the platform takes 100 characters. */
export const BUTTON_LIMITS: {
  readonly perCard: number;
  readonly perRow: number;
  readonly labelLength: number;
  readonly valueBytes: number;
} = {
  perCard: 25,
  perRow: 5,
  labelLength: 80,
  valueBytes: 4_000,
};

/** Inputs of a form: the platform's dialog has no more. */
export const MAX_INPUTS = 5;
/** Options of one choice. */
export const MAX_CHOICES = 25;

/** Answers of a poll. */
export const MAX_POLL_OPTIONS = 10;

/** The actions, each in `src/actions`. */
const ACTION_NAMES: readonly ActionName[] = [
  "pin",
  "unpin",
  "pins-list",
  "read",
  "reactions-list",
  "thread-create",
  "thread-list",
  "member-info",
  "channel-info",
  "emoji-list",
  "permissions",
];

/** The implemented and tested capabilities. */
export const DISCORD_CAPABILITIES: ChannelCapabilities = {
  addressing: "platform",
  inbound: { delivery: "resumes", transport: "connection" },
  text: { maxLength: MAX_TEXT_LENGTH, unit: "utf16", maxLines: MAX_LINES, markdown: "full", dialect: "discord-markdown" },
  threads: "native",
  edit: true,
  edits: { minIntervalMs: 1_200 },
  delete: true,
  reactions: true,
  polls: true,
  typing: true,
  media: (["image", "audio", "video", "file"] as const).map((kind) => ({ kind, maxBytes: MAX_FILE_BYTES })),
  nativeCommands: true,
  buttons: true,
  cards: true,
  cardEdits: true,
  forms: true,
  silent: true,
  limits: {
    buttonsPerCard: BUTTON_LIMITS.perCard,
    buttonLabelLength: BUTTON_LIMITS.labelLength,
    buttonValueBytes: BUTTON_LIMITS.valueBytes,
    pollOptions: MAX_POLL_OPTIONS,
    captionLength: MAX_TEXT_LENGTH,
    filesPerMessage: MAX_FILES,
    sendRate: { count: 50, perMs: 1_000 },
  },
  optional: ["probe", "directory", "history"],
  streaming: "edit",
  blocksByDefault: true,
  idempotentSend: { windowMs: 120_000, maxKeyLength: 25 },
  caseSensitiveIds: true,
  idScope: "platform",
  fetchesContext: true,
  events: ["edit", "delete", "reaction", "action", "vote"],
  replyContext: true,
  actions: ACTION_NAMES,
};
