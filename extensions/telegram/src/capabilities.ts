import type { ActionName, ChannelCapabilities } from "@factotum/channel-contract";
import type { TelegramTransport } from "./config.ts";

/** Maximum characters (UTF-16 code units) of a text before it is rendered; what rendering adds fits below `MAX_RENDERED_LENGTH`, or makes another message. */
export const MAX_TEXT_LENGTH = 4_000;
/** The platform's own limit, of what a message shows. */
export const MAX_RENDERED_LENGTH = 4_096;
/** The platform's limit of the text below a file. */
export const MAX_CAPTION_LENGTH = 1_024;

/** The platform takes files of this size from bots. */
export const MAX_FILE_BYTES: number = 50 * 1024 * 1024;
/** Larger images are sent as plain files. */
export const MAX_PHOTO_BYTES: number = 10 * 1024 * 1024;
/** Files of one album. */
export const MAX_FILES = 10;

/** Limits of buttons. Values are kept in the account's state, since the platform takes 64 bytes. */
export const BUTTON_LIMITS: { readonly perCard: number; readonly labelLength: number; readonly valueBytes: number } = {
  perCard: 50,
  labelLength: 64,
  valueBytes: 4_000,
};

/** Answers of a poll. */
export const MAX_POLL_OPTIONS = 12;

/** The actions, each in `src/actions`. */
const ACTION_NAMES: readonly ActionName[] = ["pin", "unpin", "thread-create", "member-info", "channel-info", "emoji-list", "permissions"];

/** The implemented and tested capabilities of an account with this transport. */
export function telegramCapabilities(transport: TelegramTransport["type"]): ChannelCapabilities {
  return {
    addressing: "platform",
    inbound:
      transport === "webhook"
        ? { delivery: "redelivers", transport: "webhook", webhookAuth: "secret" }
        : { delivery: "redelivers", transport: "polling" },
    text: { maxLength: MAX_TEXT_LENGTH, unit: "utf16", markdown: "subset", dialect: "telegram-html" },
    threads: "native",
    edit: true,
    edits: { minIntervalMs: 1_000 },
    delete: true,
    reactions: true,
    polls: true,
    typing: true,
    media: (["image", "audio", "video", "file"] as const).map((kind) => ({ kind, maxBytes: MAX_FILE_BYTES })),
    voiceMessages: true,
    nativeCommands: true,
    buttons: true,
    cards: true,
    cardEdits: true,
    silent: true,
    limits: {
      buttonsPerCard: BUTTON_LIMITS.perCard,
      buttonLabelLength: BUTTON_LIMITS.labelLength,
      buttonValueBytes: BUTTON_LIMITS.valueBytes,
      pollOptions: MAX_POLL_OPTIONS,
      captionLength: MAX_CAPTION_LENGTH,
      filesPerMessage: MAX_FILES,
      sendRate: { count: 30, perMs: 1_000 },
    },
    optional: ["probe"],
    streaming: "edit",
    blocksByDefault: true,
    caseSensitiveIds: true,
    idScope: "platform",
    events: ["edit", "reaction", "action", "member", "moved", "vote"],
    actions: ACTION_NAMES,
  };
}
