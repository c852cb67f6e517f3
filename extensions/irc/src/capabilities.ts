import type { ChannelCapabilities } from "@factotum/channel-contract";
import type { IrcConfig } from "./config.ts";

/**
 * Maximum bytes of one text. A line of 512 bytes has room for it with a nickname of 30, the longest usual user and host names, and a channel name of 50; where
 * names are longer, a text takes two lines.
 */
export const MAX_TEXT_BYTES = 340;

/** The implemented and tested capabilities. */
const IRC_CAPABILITIES: ChannelCapabilities = {
  addressing: "platform",
  inbound: { delivery: "once", transport: "connection" },
  // Each line of a text is a message of the platform: few of them, so that one send ends within the platform's limit of lines.
  text: { maxLength: MAX_TEXT_BYTES, unit: "bytes", maxLines: 8, markdown: "subset", codeBlocks: false, dialect: "irc" },
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
  // No `reconcile`: a server shows a message to those who are there and keeps none that could be looked for.
  optional: ["probe", "directory"],
  streaming: "none",
  caseSensitiveIds: false,
  actions: [],
};

/** The capabilities of an account, with the network's limit of lines as the limit of sends: each takes one line or more. */
export function capabilitiesOf({ burst, intervalMs }: IrcConfig["flood"]): ChannelCapabilities {
  if (intervalMs === 0) return IRC_CAPABILITIES;
  return { ...IRC_CAPABILITIES, limits: { sendRate: { count: burst, perMs: burst * intervalMs } } };
}
