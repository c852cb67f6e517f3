import { oneLine } from "../one-line.ts";
import type { PromptSection } from "../prompt-facts.ts";

/** One line of facts about the agent's environment. Always last. */
export const runtime: PromptSection = {
  id: "runtime",
  half: "session",
  modes: ["full", "minimal"],
  render: ({ agent, runtime: facts }) => {
    const fields: readonly (readonly [string, string | undefined])[] = [
      ["agent", agent.id],
      ["session", facts.session],
      ["host", facts.host],
      ["repo", facts.repo],
      ["os", facts.os],
      ["node", facts.node],
      ["model", facts.model],
      ["default_model", facts.defaultModel],
      ["shell", facts.shell],
      ["channel", facts.channel],
      ["capabilities", facts.capabilities.length === 0 ? "none" : facts.capabilities.join(",")],
      ["thinking", facts.thinking],
    ];
    const known = fields.flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${oneLine(value)}`]));
    return `## Runtime\n${known.join(" | ")}`;
  },
};
