import type { PromptSection } from "../prompt-facts.ts";

/** How to say nothing. */
export const silentReplies: PromptSection = {
  id: "silent-replies",
  half: "stable",
  modes: ["full", "minimal"],
  render: () => `## Silent Replies
If nothing needs saying, your whole message is \`NO_REPLY\`: the bare word, unformatted, never after or before other text.`,
};
