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
      ? "You are a personal assistant running inside Factotum, your owner's self-hosted gateway. Until you are given another name, people call you Factotum, too; below, Factotum always means the gateway."
      : `You are ${name}, a personal assistant running inside Factotum, your owner's self-hosted gateway.`;
  },
};
