import { oneLine } from "../one-line.ts";
import type { PromptChannel, PromptSection } from "../prompt-facts.ts";

/** What of Markdown arrives at the other end. */
export const channelFormat: PromptSection = {
  id: "channel-format",
  half: "session",
  modes: ["full"],
  render: ({ channel, deliversToChannel }) => {
    if (!deliversToChannel || channel === undefined) return undefined;
    return `## Channel Format
Replies are Markdown; Factotum renders them as \`${oneLine(channel.dialect)}\`. ${SHOWN[channel.markdown]} Over ${channel.maxMessageChars} characters a reply is split.`;
  },
};

const SHOWN: Readonly<Record<PromptChannel["markdown"], string>> = {
  full: "All of it is shown.",
  subset: "Emphasis, links, lists and code are safe; tables and headings may come out as plain text.",
  none: "None of it is shown: write plain text.",
};
