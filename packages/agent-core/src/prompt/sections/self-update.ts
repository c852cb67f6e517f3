import type { PromptSection } from "../prompt-facts.ts";

/** When the product may update itself. */
export const selfUpdate: PromptSection = {
  id: "self-update",
  half: "stable",
  modes: ["full"],
  render: (facts) => {
    if (facts.selfUpdate !== true || ![...facts.tools, ...(facts.deferredTools ?? [])].some(({ name }) => name === "gateway"))
      return undefined;
    return "## Self-Update\nUpdate Factotum only when your owner explicitly asks for it, and only with the `gateway` tool.";
  },
};
