import { oneLine } from "./one-line.ts";
import type { PromptSkill } from "./prompt-facts.ts";

/** Maximum characters of the index. */
const MAX_INDEX_CHARS = 12_000;

/** The end of a location that follows from the skill's name and the folder that lists it. */
const FILE_NAME = "SKILL.md";

/**
 * Renders the skills index as `<available_skills>`, with at most 12,000 characters. A skill at `<folder>/<name>/SKILL.md` is a line below its folder, so that the
 * folder is named once; any other has its own path. The longest descriptions are truncated first, to a common length; if the entries do not fit even without
 * descriptions, the last ones are dropped, and a line says how many.
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
  const folders = Map.groupBy(skills, folderOf);
  const groups = Array.from(folders, ([folder, listed]) =>
    folder === undefined
      ? listed.map((skill) => `<skill path="${escape(skill.location)}">${entry(skill, descriptionChars)}</skill>`).join("\n")
      : `<folder path="${escape(folder)}">\n${listed.map((skill) => `- ${entry(skill, descriptionChars)}`).join("\n")}\n</folder>`,
  );
  return groups.join("\n");
}

/** The folder of a skill's own folder, if that has the skill's name. */
function folderOf({ name, location }: PromptSkill): string | undefined {
  const end = `/${name}/${FILE_NAME}`;
  return name !== "" && location.endsWith(end) && location.length > end.length ? location.slice(0, -end.length) : undefined;
}

function entry({ name, description, version }: PromptSkill, descriptionChars: number): string {
  const shown = description.length <= descriptionChars ? description : cut(description, descriptionChars);
  const label = version === undefined || version === "" ? escape(name) : `${escape(name)} (${escape(version)})`;
  return shown === "" ? label : `${label}: ${escape(shown)}`;
}

/** One line that neither opens nor closes an element or an attribute. */
function escape(text: string): string {
  return oneLine(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
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
