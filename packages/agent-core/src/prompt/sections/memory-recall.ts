import type { PromptSection } from "../prompt-facts.ts";

/** Check the notes before talking about the past. */
export const memoryRecall: PromptSection = {
  id: "memory-recall",
  half: "stable",
  modes: ["full"],
  render: ({ tools }) => {
    if (!tools.some(({ name }) => name === "memory_search")) return undefined;
    const fetch = tools.some(({ name }) => name === "memory_get") ? "memory_get" : "read";
    return `## Memory Recall
Before you answer a question about past work, decisions, dates, people, preferences or open tasks, call \`memory_search\`.
- Use \`${fetch}\` to fetch only the lines that matter.
- Add \`Source: <path#line>\` where the user may want to check.
- If the search found little or reports that it is degraded, tell the user.`;
  },
};
