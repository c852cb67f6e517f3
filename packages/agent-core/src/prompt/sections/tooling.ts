import { oneLine } from "../one-line.ts";
import { orderTools } from "../order-tools.ts";
import type { PromptSection } from "../prompt-facts.ts";

/** The tools of the session, one line each. */
export const tooling: PromptSection = {
  id: "tooling",
  half: "stable",
  modes: ["full", "minimal"],
  render: ({ tools }) => {
    if (tools.length === 0) return undefined;
    return [
      "## Tooling",
      "The tools of this session. Names are case-sensitive: write them exactly as here.",
      ...orderTools(tools).map(({ name, summary }) => `- ${name}: ${oneLine(summary)}`),
      "A policy can still refuse a single call; the answer then tells why. TOOLS.md advises on using tools, it grants none.",
    ].join("\n");
  },
};
