import type { ChannelCapabilities, InboundPath } from "@factotum/channel-contract";
import type { FeishuTransport } from "./config.ts";
import { FEISHU_ACTIONS } from "./conversation/actions.ts";

/**
 * Maximum characters (UTF-16 code units) of one message. The platform accepts 30 KiB for a rich message; this leaves room for three bytes per character and the
 * markup.
 */
export const MAX_TEXT_LENGTH = 4_000;

/** Maximum size of an image. */
export const MAX_IMAGE_BYTES: number = 10 * 1024 * 1024;

/** Largest file of any other kind. */
export const MAX_FILE_BYTES: number = 30 * 1024 * 1024;

/** A card has at most 200 elements. A button is three of them, and body, fields and inputs need some too. */
const MAX_BUTTONS = 40;

/** Both transports deliver an event again until it is acknowledged. */
const INBOUND: Readonly<Record<FeishuTransport["type"], InboundPath>> = {
  webhook: { delivery: "redelivers", transport: "webhook", webhookAuth: "signature" },
  websocket: { delivery: "redelivers", transport: "connection" },
};

/** The implemented and tested capabilities of an account. */
export function feishuCapabilities({ type }: FeishuTransport): ChannelCapabilities {
  return { ...CAPABILITIES, inbound: INBOUND[type] };
}

const CAPABILITIES: Omit<ChannelCapabilities, "inbound"> = {
  addressing: "platform",
  text: { maxLength: MAX_TEXT_LENGTH, unit: "utf16", markdown: "subset", dialect: "feishu-post" },
  threads: "native",
  edit: true,
  // The platform's limit; further edits are refused.
  edits: { maxPerMessage: 20 },
  delete: true,
  reactions: true,
  polls: false,
  typing: false,
  media: [
    { kind: "image", maxBytes: MAX_IMAGE_BYTES },
    { kind: "audio", maxBytes: MAX_FILE_BYTES },
    { kind: "video", maxBytes: MAX_FILE_BYTES },
    { kind: "file", maxBytes: MAX_FILE_BYTES },
  ],
  voiceMessages: true,
  nativeCommands: false,
  buttons: true,
  cards: true,
  cardEdits: true,
  forms: true,
  ephemeral: true,
  limits: { buttonsPerCard: MAX_BUTTONS, buttonLabelLength: 100, buttonValueBytes: 1_024 },
  streaming: "native",
  idempotentSend: { windowMs: 3_600_000, maxKeyLength: 50 },
  caseSensitiveIds: true,
  idScope: "platform",
  fetchesContext: true,
  events: ["reaction", "delete", "member", "action"],
  optional: ["probe", "directory", "history", "reconcile"],
  actions: FEISHU_ACTIONS,
};
