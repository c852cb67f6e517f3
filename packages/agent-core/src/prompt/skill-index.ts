import { oneLine } from "./one-line.ts";
import type { PromptSkill } from "./prompt-facts.ts";

/** Maximum characters of the index. */
const MAX_INDEX_CHARS = 12_000;

/**
 * Renders the skills index as `<available_skills>`, with at most 12,000 characters: the longest descriptions are truncated first, to a common length; if the
 * entries do not fit even without descriptions, the last ones are dropped, and a line says how many.
 */
export function renderSkillIndex(skills: readonly PromptSkill[]): string {
  const clean = skills.map((skill) => ({ ...skill, description: oneLine(skill.description) }));
  const longest = clean.reduce((max, { description }) => Math.max(max, description.length), 0);
  const budget = MAX_INDEX_CHARS - frame("", skills.length).length;
  const fits = (descriptionChars: number): boolean => render(clean, descriptionChars).length <= budget;
  if (fits(longest)) return frame(render(clean, longest), 0);
  if (fits(0)) return frame(render(clean, largest(longest, fits)), 0);
  const kept = largest(clean.length, (count) => render(clean.slice(0, count), 0).length <= budget);
  return frame(render(clean.slice(0, kept), 0), clean.length - kept);
}

function frame(entries: string, dropped: number): string {
  const note = dropped === 0 ? "" : `\n${dropped} more skills do not fit here; list the skill folders to find them.`;
  return `<available_skills>\n${entries}\n</available_skills>${note}`;
}

function render(skills: readonly PromptSkill[], descriptionChars: number): string {
  return skills.map((skill) => entry(skill, descriptionChars)).join("\n");
}

function entry({ name, description, location, version }: PromptSkill, descriptionChars: number): string {
  const shown = description.length <= descriptionChars ? description : cut(description, descriptionChars);
  const fields = [element("name", name), element("description", shown), element("location", location)];
  if (version !== undefined) fields.push(element("version", version));
  return `<skill>${fields.join("")}</skill>`;
}

function element(tag: string, text: string): string {
  const escaped = oneLine(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return text === "" ? "" : `<${tag}>${escaped}</${tag}>`;
}

function cut(text: string, chars: number): string {
  return chars === 0
    ? ""
    : `${text
        .slice(0, chars - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, "")}…`;
}

/** The largest number up to `max` that passes; 0 is assumed to pass. */
function largest(max: number, passes: (value: number) => boolean): number {
  let low = 0;
  let high = max;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (passes(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
