import type { SourcePrompt } from "@factotum/agent-contract";

/** The arguments of a prompt as they were typed, or what is missing, for the person who typed them. */
export type PromptArguments =
  | { readonly type: "given"; readonly given: Readonly<Record<string, string>> }
  | { readonly type: "missing"; readonly text: string };

/** `name=value` or a value; quotes keep words together. */
const WORD = /(?:([^\s="']+)=)?(?:"([^"]*)"|'([^']*)'|(\S+))/g;

/**
 * Parses what follows the slash command of a prompt: `name=value` for an argument of that name, and other words for the remaining arguments in their order; the last
 * one takes all words that are left.
 */
export function parsePromptArguments(words: string, { name, arguments: asked }: Pick<SourcePrompt, "name" | "arguments">): PromptArguments {
  const names = new Set(asked.map((argument) => argument.name));
  const given = new Map<string, string>();
  const loose: string[] = [];
  for (const [whole, key, double, single, plain] of words.matchAll(WORD)) {
    if (key !== undefined && names.has(key)) given.set(key, double ?? single ?? plain ?? "");
    else loose.push(key === undefined ? (double ?? single ?? plain ?? "") : whole);
  }
  const open = asked.filter((argument) => !given.has(argument.name));
  for (const [index, argument] of open.entries()) {
    const taken = index === open.length - 1 ? loose.slice(index) : loose.slice(index, index + 1);
    if (taken.length > 0) given.set(argument.name, taken.join(" "));
  }
  const missing = asked.filter((argument) => argument.isRequired && !given.has(argument.name)).map((argument) => argument.name);
  if (missing.length === 0) return { type: "given", given: Object.fromEntries(given) };
  const usage = asked.map((argument) => (argument.isRequired ? `<${argument.name}>` : `[${argument.name}]`)).join(" ");
  return { type: "missing", text: `/${name} needs ${missing.join(", ")}. Write /${name} ${usage}, or name=value for each.` };
}
