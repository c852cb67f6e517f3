import type { SyntaxNode, Word, WordPart } from "unbash";

/** What a shell text runs, as far as it can be told without running it. */
export type ShellText =
  /** One program with literal arguments: no shell is needed. */
  | { readonly type: "argv"; readonly argv: readonly string[] }
  /**
   * Several commands, expansions or redirections. `commands`: the words of every command in it, also of those in substitutions; empty where a word is known only
   * when it runs. `inputs`: the files that are redirected to standard input; `undefined` where the name is known only then.
   */
  | { readonly type: "script"; readonly commands: readonly (readonly string[])[]; readonly inputs: readonly (string | undefined)[] }
  /** It does not parse completely, or the name of a command is known only when it runs. */
  | { readonly type: "unknown" };

/** Parses the text of a command. The parser is loaded on first use. */
export async function parseShellText(text: string): Promise<ShellText> {
  const { parse, forEachChild } = await import("unbash");
  const script = parse(text);
  const commands: string[][] = [];
  const inputs: (string | undefined)[] = [];
  let isKnown = true;
  const visit = (node: SyntaxNode): void => {
    if (hasErrors(node)) isKnown = false;
    if (node.type === "Redirect" && (node.operator === "<" || node.operator === "<>"))
      inputs.push(node.target?.type === "Word" ? literal(node.target) : undefined);
    if (node.type === "Command") {
      const words = [node.name, ...node.args].flatMap((word) => (word?.type === "Word" ? [literal(word) ?? ""] : []));
      if (node.name !== undefined) commands.push(words);
      if (words[0] === "") isKnown = false;
    }
    forEachChild(node, visit);
  };
  visit(script);
  if (!isKnown) return { type: "unknown" };
  const [statement, ...others] = script.commands;
  const command = statement?.command;
  const isSimple =
    others.length === 0 &&
    statement?.background !== true &&
    command?.type === "Command" &&
    command.prefix.length === 0 &&
    command.redirects.length === 0;
  if (!isSimple) return { type: "script", commands, inputs };
  const argv = [command.name, ...command.args].map((word) => (word?.type === "Word" ? literal(word) : undefined));
  return argv.every((word) => word !== undefined) ? { type: "argv", argv } : { type: "script", commands, inputs };
}

function hasErrors(node: SyntaxNode): boolean {
  return node.type === "Script" && (node.errors?.length ?? 0) > 0;
}

/** The value of a word without expansions, globs and tilde; `undefined` for any other. */
function literal(word: Word): string | undefined {
  if (word.text.startsWith("~")) return undefined;
  return (word.parts ?? []).every(isLiteral) ? word.value : undefined;
}

function isLiteral(part: WordPart): boolean {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return true;
    case "DoubleQuoted":
      return part.parts.every(({ type }) => type === "Literal");
    default:
      return false;
  }
}
