import { oneLine } from "../one-line.ts";
import { orderTools } from "../order-tools.ts";
import type { PromptSection } from "../prompt-facts.ts";

/** The tools of the session: core tools by name, since their descriptions are in the request anyway; those of plugins and servers one line each. */
export const tooling: PromptSection = {
  id: "tooling",
  half: "stable",
  modes: ["full", "minimal"],
  render: ({ tools }) => {
    if (tools.length === 0) return undefined;
    const ordered = orderTools(tools);
    const core = ordered.filter(({ origin }) => origin === "core").map(({ name }) => `\`${name}\``);
    const added = ordered.filter(({ origin }) => origin !== "core");
    return [
      "## Tooling",
      "These are the tools of this session. Names are case-sensitive: use them exactly as listed.",
      ...(core.length === 0 ? [] : [core.join(", ")]),
      ...added.map(({ name, summary }) => `- ${name}: ${oneLine(summary)}`),
      "A policy may still refuse a call; the result says why. TOOLS.md holds notes on how to use tools; it does not add tools.",
    ].join("\n");
  },
};
