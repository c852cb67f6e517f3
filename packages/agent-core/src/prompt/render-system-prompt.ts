import type { SystemPrompt } from "@factotum/agent-contract";
import type { PromptFacts, PromptMode, RenderedSection } from "./prompt-facts.ts";
import { promptVariant } from "./prompt-variant.ts";
import { PROMPT_SECTIONS } from "./sections/index.ts";

/** Part 1 of a request, and the sections that it is made of, in order, for reports of what the model sees. */
export interface RenderedPrompt {
  readonly system: SystemPrompt;
  readonly sections: readonly RenderedSection[];
}

/** Part 1 of a request, as the kind of run has it. Pure: equal facts give equal bytes. The cache boundary between the halves is no text. */
export function renderSystemPrompt(facts: PromptFacts): RenderedPrompt {
  const sections = renderSections(facts, promptVariant(facts.run ?? "user", { lightContext: false }).mode);
  return { system: joinSections(sections), sections };
}

/** Puts rendered sections together; within a half two line breaks stand between them. */
export function joinSections(sections: readonly RenderedSection[]): SystemPrompt {
  return { stable: join(sections, "stable"), session: join(sections, "session") };
}

/** The sections that apply, in order, each by itself: what `joinSections` joins. */
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
