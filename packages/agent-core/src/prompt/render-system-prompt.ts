import type { SystemPrompt } from "@factotum/agent-contract";
import type { PromptFacts, PromptMode, RenderedSection } from "./prompt-facts.ts";
import { promptVariant } from "./prompt-variant.ts";
import { PROMPT_SECTIONS } from "./sections/index.ts";

/** Part 1 of a request, and its sections in order, for context reports. */
export interface RenderedPrompt {
  readonly system: SystemPrompt;
  readonly sections: readonly RenderedSection[];
}

/** Renders part 1 of a request for a kind of run. Pure: equal facts give equal bytes. The cache boundary between the halves is not text. */
export function renderSystemPrompt(facts: PromptFacts): RenderedPrompt {
  const sections = renderSections(facts, promptVariant(facts.run ?? "user", { lightContext: false }).mode);
  return { system: joinSections(sections), sections };
}

/** Joins rendered sections; within a half they are separated by a blank line. */
export function joinSections(sections: readonly RenderedSection[]): SystemPrompt {
  return { stable: join(sections, "stable"), session: join(sections, "session") };
}

/** The sections that apply, in order, as separate texts for `joinSections`. */
export function renderSections(facts: PromptFacts, mode: PromptMode): readonly RenderedSection[] {
  return PROMPT_SECTIONS.flatMap((section) => {
    const text = section.modes.includes(mode) ? section.render(facts) : undefined;
    return text === undefined ? [] : [{ id: section.id, half: section.half, text }];
  });
}

function join(sections: readonly RenderedSection[], half: RenderedSection["half"]): string {
  return sections
    .filter((section) => section.half === half)
    .map(({ text }) => text)
    .join("\n\n");
}
