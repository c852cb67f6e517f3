/** A message that may be a skill, or a file of the user's commands. */
export interface PromptCommandText {
  /** In lower case, with hyphens for underscores: menus of some platforms know no hyphen. */
  readonly name: string;
  /** True for `/skill NAME`. */
  readonly isSkill: boolean;
  /** What follows the name. */
  readonly words: string;
}

const SKILL = /^\/skill[ \t]+(\S+)(?:\s+([\s\S]*))?$/i;
const NAMED = /^\/([a-z0-9][\w-]{0,63})(?:\s+([\s\S]*))?$/i;

/** Parses `/NAME words` and `/skill NAME words`; `undefined` for any other message. */
export function parsePromptCommand(text: string): PromptCommandText | undefined {
  const said = text.trim();
  const skill = SKILL.exec(said);
  const [, name = "", words = ""] = skill ?? NAMED.exec(said) ?? [];
  return name === "" ? undefined : { name: promptCommandName(name), isSkill: skill !== null, words: words.trim() };
}

/** The name of a skill or command as it is compared. */
export function promptCommandName(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}

const PLACEHOLDER = /\$(ARGUMENTS\b|[1-9](?!\d))/g;
const WORD = /"([^"]*)"|'([^']*)'|(\S+)/g;

/**
 * Replaces `$ARGUMENTS` in a command's body by everything that follows the command, and `$1` to `$9` by its words; quotes keep words together. A missing word is
 * empty. Without a placeholder the words are added at the end.
 */
export function fillArguments(body: string, words: string): string {
  const parts = Array.from(words.matchAll(WORD), ([, double, single, plain]) => double ?? single ?? plain ?? "");
  let isFilled = false;
  const filled = body.replaceAll(PLACEHOLDER, (_, name: string) => {
    isFilled = true;
    return name === "ARGUMENTS" ? words : (parts[Number(name) - 1] ?? "");
  });
  return isFilled || words === "" ? filled : `${filled}\n\n${words}`;
}
