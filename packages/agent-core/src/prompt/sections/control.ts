import { oneLine } from "../one-line.ts";
import type { PromptSection } from "../prompt-facts.ts";

/** The product's own commands, as far as this build has them. */
export const control: PromptSection = {
  id: "control",
  half: "stable",
  modes: ["full"],
  render: ({ tools, commands }) => {
    const gateway = tools.some(({ name }) => name === "gateway");
    const exec = tools.some(({ name }) => name === "exec");
    const lines = exec ? commands.map(({ usage, purpose }) => `- \`${oneLine(usage)}\`: ${oneLine(purpose)}`) : [];
    if (gateway) lines.unshift("- Settings and restarts: the `gateway` tool.");
    if (lines.length === 0) return undefined;
    return ["## Control", "Factotum itself is controlled like this and in no other way; make up no commands:", ...lines, OWN_WILL].join(
      "\n",
    );
  },
};

const OWN_WILL = "Start, stop or restart Factotum only when the user asks for it, with a single restart in place of stop and start.";
