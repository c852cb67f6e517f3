import { withoutUndefined } from "@factotum/agent-contract";
import { describeContext } from "@factotum/agent-core";
import type { PromptRecord } from "@factotum/store";

/** The prompt and skills snapshots of a session, under their `sessions.json` names. The report has sizes and no texts. */
export function promptSnapshots(
  { system, tools, hash, cause, renderedAtMs, outline }: PromptRecord,
  hideSecrets: (text: string) => string,
): { readonly systemPromptReport: object; readonly skillsSnapshot: { readonly prompt: string } } {
  const { parts } = describeContext({
    system,
    ...withoutUndefined({ outline: outline?.sections }),
    messages: [],
    promptIndex: -1,
    tools,
  });
  const sectionsOf = (name: "system" | "tools"): (typeof parts)[number]["sections"] =>
    parts.find(({ type }) => type === name)?.sections ?? [];
  const sections = sectionsOf("system");
  const skills = sections.find(({ id }) => id === "skills");
  return {
    systemPromptReport: {
      generatedAt: renderedAtMs,
      cause,
      hash,
      sections: sections.map(({ id, half, tokens, bytes, chars }) => ({ id, half, tokens, bytes, chars })),
      tools: sectionsOf("tools").map(({ id, tokens, bytes, chars }) => ({ name: id, tokens, bytes, chars })),
      cutFiles: outline?.cutFiles ?? [],
    },
    skillsSnapshot: { prompt: hideSecrets(skills?.text ?? "") },
  };
}
