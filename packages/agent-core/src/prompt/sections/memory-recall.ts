import type { PromptSection } from "../prompt-facts.ts";

/** Look into the notes before speaking of the past. */
export const memoryRecall: PromptSection = {
  id: "memory-recall",
  half: "stable",
  modes: ["full"],
  render: ({ tools }) => {
    if (!tools.some(({ name }) => name === "memory_search")) return undefined;
    const fetch = tools.some(({ name }) => name === "memory_get") ? "memory_get" : "read";
    return `## Memory Recall
Questions about past work, decisions, dates, people, preferences or open tasks: \`memory_search\` first, then the answer.
- Of what it finds, fetch just the lines that matter with \`${fetch}\`.
- Give \`Source: <path#line>\` where the user may want to check.
- Little found, or a search that calls itself degraded: tell the user that it was weak.`;
  },
};
