import type { PromptSection } from "../prompt-facts.ts";

/** When the product may replace itself. */
export const selfUpdate: PromptSection = {
  id: "self-update",
  half: "stable",
  modes: ["full"],
  render: (facts) => {
    if (facts.selfUpdate !== true || !facts.tools.some(({ name }) => name === "gateway")) return undefined;
    return "## Self-Update\nReplace Factotum by a newer version only when the user has asked for just that, with the `gateway` tool.";
  },
};
