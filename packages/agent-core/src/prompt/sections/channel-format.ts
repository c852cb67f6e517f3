import { oneLine } from "../one-line.ts";
import type { PromptChannel, PromptSection } from "../prompt-facts.ts";

/** The Markdown that the channel supports. */
export const channelFormat: PromptSection = {
  id: "channel-format",
  half: "session",
  modes: ["full"],
  render: ({ channel, deliversToChannel }) => {
    if (!deliversToChannel || channel === undefined) return undefined;
    const dialect = oneLine(channel.dialect);
    const split = `A reply longer than ${channel.maxMessageChars} characters is split into several messages.`;
    return `## Channel Format\n${FORMAT[channel.markdown](dialect)} ${split}`;
  },
};

const FORMAT: Readonly<Record<PromptChannel["markdown"], (dialect: string) => string>> = {
  full: (dialect) => `Write replies in Markdown; Factotum renders them as \`${dialect}\`. All of Markdown is displayed.`,
  subset: (dialect) =>
    `Write replies in Markdown; Factotum renders them as \`${dialect}\`. Emphasis, links, lists and code are safe; tables and headings may appear as plain text.`,
  none: () => "Write replies as plain text: Markdown formatting is not displayed here.",
};
