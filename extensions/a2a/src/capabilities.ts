import type { ChannelCapabilities } from "@factotum/channel-contract";
import { MAX_FILE_BYTES } from "./tasks/task-files.ts";

/** Where the card is, as the protocol fixes it. */
const CARD_PATH = "/.well-known/agent-card.json";
/** Where requests go. */
export const RPC_PATH = "/a2a/v1";

const DAY_MS = 24 * 60 * 60_000;

/** A task has files and texts, which can grow and change until its end; the protocol has nothing like reactions or typing. */
export const A2A_CAPABILITIES: ChannelCapabilities = {
  addressing: "platform",
  inbound: { delivery: "redelivers", transport: "webhook", webhookAuth: "secret", paths: [CARD_PATH, RPC_PATH] },
  // An answer is one artifact, with which its task ends.
  text: { maxLength: 100_000, unit: "utf16", markdown: "full", dialect: "markdown" },
  threads: "native",
  // A context of the protocol is a thread of its peer's conversation.
  directThreads: true,
  edit: true,
  delete: false,
  reactions: false,
  polls: false,
  typing: false,
  media: (["image", "audio", "video", "file"] as const).map((kind) => ({ kind, maxBytes: MAX_FILE_BYTES })),
  nativeCommands: false,
  buttons: false,
  cards: false,
  streaming: "native",
  streamsByDefault: true,
  idempotentSend: { windowMs: DAY_MS, maxKeyLength: 200 },
  caseSensitiveIds: true,
  replyContext: true,
  actions: [],
};
