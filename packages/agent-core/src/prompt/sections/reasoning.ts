import type { PromptReasoning, PromptSection } from "../prompt-facts.ts";

/** Where the model's thoughts are shown, and how to write them if the model does not separate them natively. */
export const reasoning: PromptSection = {
  id: "reasoning",
  half: "session",
  modes: ["full"],
  render: (facts) => {
    if (facts.reasoning === undefined) return undefined;
    const tags = !facts.reasoning.native && facts.runtime.thinking !== "off";
    return `## Reasoning\n${SEEN[facts.reasoning.visibility]}${tags ? ` ${TAGS}` : ""}`;
  },
};

const SEEN: Readonly<Record<PromptReasoning["visibility"], string>> = {
  off: "Your thoughts are hidden from the chat.",
  on: "Your thoughts are shown in the chat, separately from the reply.",
  stream: "Your thoughts are shown in the chat while you think.",
};

const TAGS = "Think inside `<think>...</think>` at the start of an answer, and write the reply after the closing tag.";
