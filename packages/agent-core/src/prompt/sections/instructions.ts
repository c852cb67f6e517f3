import type { PromptSection } from "../prompt-facts.ts";

/** The configured `systemPrompt`. */
export const instructions: PromptSection = {
  id: "instructions",
  half: "stable",
  modes: ["full"],
  render: (facts) =>
    facts.instructions === undefined || facts.instructions.trim() === "" ? undefined : `## Instructions\n${facts.instructions.trim()}`,
};
