import type { Command } from "commander";
import type { Shell } from "./shells.ts";

/** A position in a command line, with its possible continuations. */
interface Node {
  /** The words of the command, starting with the program's name. */
  readonly path: string;
  readonly words: readonly { readonly word: string; readonly description: string; readonly isCommand: boolean }[];
}

/** Renders the completion script of a shell: commands, options and their choices in this build. */
export function renderCompletion(program: Command, shell: Shell): string {
  const nodes = nodesOf(program, program.name());
  return { bash: renderBash, zsh: renderZsh, fish: renderFish }[shell](nodes, program.name());
}

function nodesOf(command: Command, path: string): readonly Node[] {
  const children = command.commands.map((child) => ({ word: child.name(), description: child.description(), isCommand: true }));
  const options = command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, short, description, hidden }) => {
      const word = long ?? short;
      return word === undefined || hidden ? [] : [{ word, description, isCommand: false }];
    });
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) =>
    argChoices.map((word) => ({ word, description: "", isCommand: false })),
  );
  return [
    { path, words: [...children, ...choices, ...options] },
    ...command.commands.flatMap((child) => nodesOf(child, `${path} ${child.name()}`)),
  ];
}

function subcommands(nodes: readonly Node[]): readonly string[] {
  return nodes.slice(1).map(({ path }) => path);
}

function renderBash(nodes: readonly Node[], name: string): string {
  const words = nodes.map(({ path, words: list }) => `    "${path}") words="${list.map(({ word }) => word).join(" ")}" ;;`);
  return `# bash completion of ${name}
_${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="${name}" words="" index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$path \${COMP_WORDS[index]}" in
    ${subcommands(nodes)
      .map((path) => `"${path}"`)
      .join(" | ")}) path="$path \${COMP_WORDS[index]}" ;;
    esac
  done
  case "$path" in
${words.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${name} ${name}
`;
}

function renderZsh(nodes: readonly Node[], name: string): string {
  const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  const cases = nodes.map(({ path, words }) => {
    const described = words.map(({ word, description }) => quote(`${word.replaceAll(":", "\\:")}:${description}`));
    return `    ${quote(path)}) described=(${described.join(" ")}) ;;`;
  });
  return `#compdef ${name}
# zsh completion of ${name}
_${name}() {
  local at=${quote(name)} word
  local -a described
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
    ${subcommands(nodes).map(quote).join(" | ")}) at="$at $word" ;;
    esac
  done
  case "$at" in
${cases.join("\n")}
  esac
  _describe ${quote(name)} described || _files
}
compdef _${name} ${name}
`;
}

function renderFish(nodes: readonly Node[], name: string): string {
  const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = nodes.flatMap(({ path, words }) =>
    words.map(({ word, description }) => {
      const what = word.startsWith("--") ? `-l ${word.slice(2)}` : word.startsWith("-") ? `-s ${word.slice(1)}` : `-f -a ${quote(word)}`;
      return `complete -c ${name} -n ${quote(`test (__${name}_path) = "${path}"`)} ${what} -d ${quote(description)}`;
    }),
  );
  return `# fish completion of ${name}
function __${name}_path
  set -l path ${name}
  for word in (commandline -opc)[2..]
    if contains -- "$path $word" ${subcommands(nodes).map(quote).join(" ")}
      set path "$path $word"
    end
  end
  echo $path
end
${lines.join("\n")}
`;
}
