import type { PromptSection } from "../prompt-facts.ts";
import { oneLine } from "../one-line.ts";

/** Who the agent is. The only section of mode `none`. */
export const identity: PromptSection = {
  id: "identity",
  half: "stable",
  modes: ["full", "minimal", "none"],
  render: ({ agent }) =>
    `You are ${oneLine(agent.name ?? "") || "Factotum"}, a personal assistant. You live in Factotum, a gateway that your owner hosts.`,
};
