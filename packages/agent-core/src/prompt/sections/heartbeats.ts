import type { PromptSection } from "../prompt-facts.ts";
import { promptVariant } from "../prompt-variant.ts";

/** What to do when nobody wrote and the agent is woken all the same. */
export const heartbeats: PromptSection = {
  id: "heartbeats",
  half: "session",
  modes: ["full"],
  render: ({ heartbeat, run }) => {
    if (heartbeat === undefined || !promptVariant(run ?? "user", { lightContext: false }).heartbeats) return undefined;
    return `## Heartbeats
From time to time you are woken with this text, and \`"run":"heartbeat"\` in the trusted JSON:
${heartbeat.prompt.trim()}
If nothing needs your owner's attention, the whole answer is \`HEARTBEAT_OK\`. If something does, say what, without that word.`;
  },
};
