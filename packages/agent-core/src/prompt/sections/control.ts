import { oneLine } from "../one-line.ts";
import type { PromptSection } from "../prompt-facts.ts";

/** CLI commands of the product in this build. */
export const control: PromptSection = {
  id: "control",
  half: "stable",
  modes: ["full"],
  render: ({ tools, deferredTools = [], commands }) => {
    const gateway = [...tools, ...deferredTools].some(({ name }) => name === "gateway");
    const exec = tools.some(({ name }) => name === "exec");
    const usable = commands.filter(({ isInGatewayTool = false }) => exec && !(gateway && isInGatewayTool));
    const lines = usable.map(({ usage, purpose }) => `- \`${oneLine(usage)}\`: ${oneLine(purpose)}`);
    if (gateway) lines.unshift("- the `gateway` tool: read and change settings, restart");
    if (lines.length === 0) return undefined;
    return [
      "## Control",
      "To control Factotum itself, use only what is listed here; do not invent other commands:",
      ...lines,
      gateway ? `${RESTARTS}.` : `${RESTARTS}, and never by a stop followed by a start.`,
    ].join("\n");
  },
};

const RESTARTS = "Restart Factotum only when your owner asks for it";
