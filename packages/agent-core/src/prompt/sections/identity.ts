import type { PromptSection } from "../prompt-facts.ts";
import { oneLine } from "../one-line.ts";

/** Who the agent is. The only section of mode `none`. */
export const identity: PromptSection = {
  id: "identity",
  half: "stable",
  modes: ["full", "minimal", "none"],
  render: ({ agent }) => {
    const name = oneLine(agent.name ?? "");
    return name === ""
      ? "You are Factotum, your owner's personal assistant, running on a gateway that they host themselves."
      : `You are ${name}, a personal assistant running inside Factotum, your owner's self-hosted gateway.`;
  },
};
