import type { ActionName, ChannelCapabilities } from "@factotum/channel-contract";
import type { SlackTransport } from "./config.ts";

/** Maximum characters (UTF-16 code units) of one message, as the platform advises; it cuts rendered texts over 40,000. */
export const MAX_TEXT_LENGTH = 4_000;

/** The platform takes files up to 1 GB; a file is held in memory while it is sent. */
export const MAX_FILE_BYTES: number = 100 * 1024 * 1024;

/** Files of one message. */
export const MAX_FILES = 10;

/** Limits of buttons; more are refused by the platform. */
export const BUTTON_LIMITS: {
  readonly perRow: number;
  readonly perCard: number;
  readonly labelLength: number;
  readonly valueBytes: number;
} = { perRow: 5, perCard: 25, labelLength: 75, valueBytes: 2_000 };

/** The actions, each in `src/actions`. */
const ACTION_NAMES: readonly ActionName[] = [
  "pin",
  "unpin",
  "pins-list",
  "read",
  "reactions-list",
  "member-info",
  "channel-info",
  "emoji-list",
];

/** The implemented and tested capabilities of an account with this transport. */
export function slackCapabilities(transport: SlackTransport["type"]): ChannelCapabilities {
  return {
    addressing: "platform",
    inbound:
      transport === "http"
        ? { delivery: "redelivers", transport: "webhook", webhookAuth: "signature" }
        : { delivery: "redelivers", transport: "connection" },
    text: { maxLength: MAX_TEXT_LENGTH, unit: "utf16", markdown: "subset", dialect: "slack-mrkdwn" },
    threads: "native",
    edit: true,
    edits: { minIntervalMs: 1_000 },
    delete: true,
    reactions: true,
    polls: false,
    typing: false,
    media: (["image", "audio", "video", "file"] as const).map((kind) => ({ kind, maxBytes: MAX_FILE_BYTES })),
    nativeCommands: true,
    buttons: true,
    cards: true,
    cardEdits: true,
    forms: true,
    ephemeral: true,
    limits: {
      buttonsPerCard: BUTTON_LIMITS.perCard,
      buttonLabelLength: BUTTON_LIMITS.labelLength,
      buttonValueBytes: BUTTON_LIMITS.valueBytes,
      captionLength: MAX_TEXT_LENGTH,
      filesPerMessage: MAX_FILES,
    },
    optional: ["probe", "directory", "history", "reconcile"],
    streaming: "native",
    caseSensitiveIds: true,
    idScope: "platform",
    fetchesContext: true,
    events: ["edit", "delete", "reaction", "action", "member"],
    replyContext: true,
    actions: ACTION_NAMES,
  };
}
