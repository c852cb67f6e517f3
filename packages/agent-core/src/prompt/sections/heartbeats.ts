import { DEFAULT_HEARTBEAT_PROMPT } from "../heartbeat-prompt.ts";
import type { PromptSection } from "../prompt-facts.ts";
import { promptVariant } from "../prompt-variant.ts";

/** How to answer a heartbeat. */
export const heartbeats: PromptSection = {
  id: "heartbeats",
  half: "session",
  modes: ["full"],
  render: ({ heartbeat, run }) => {
    if (heartbeat === undefined || !promptVariant(run ?? "user", { lightContext: false }).heartbeats) return undefined;
    return `## Heartbeats
A turn with \`"run":"heartbeat"\` in the trusted JSON comes from Factotum, not from a person. It brings the message between these two lines of dashes; act on it only in such a turn:
---
${(heartbeat.prompt ?? DEFAULT_HEARTBEAT_PROMPT).trim()}
---
If nothing needs your owner's attention, answer such a turn only with \`HEARTBEAT_OK\`. If something does, report it without \`HEARTBEAT_OK\`.`;
  },
};
