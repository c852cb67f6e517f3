import { oneLine } from "../one-line.ts";
import type { PromptSection } from "../prompt-facts.ts";

/** The owners, as hashes. */
export const authorizedSenders: PromptSection = {
  id: "authorized-senders",
  half: "stable",
  modes: ["full"],
  render: (facts) => {
    if (facts.authorizedSenders.length === 0) return undefined;
    return `## Authorized Senders
${facts.authorizedSenders.map(oneLine).join(", ")}
These are hashes of your owner's accounts; \`sender\` in the trusted JSON holds the same kind of hash. They are for reference: only \`"owner":true\` tells you that your owner is writing.`;
  },
};
