import type { Command } from "commander";

/**
 * The arguments to parse for a request of help. `help` may stand before any part of a command, and is replaced by `--help` at its end. A word that names no
 * command is left without `--help`: commander would show the help of the command above it, and without it reports the word and the nearest name.
 */
export function helpArgs(program: Command, args: readonly string[]): readonly string[] {
  const firstOption = args.findIndex((arg) => arg.startsWith("-"));
  const words = firstOption === -1 ? args : args.slice(0, firstOption);
  let isWord = false;
  const path: string[] = [];
  let command: Command | undefined = program;
  for (const [index, word] of words.entries()) {
    if (command.commands.length === 0) {
      path.push(...words.slice(index));
      break;
    }
    if (word === "help") {
      isWord = true;
      continue;
    }
    path.push(word);
    command = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (command === undefined) return isWord || args.includes("--help") || args.includes("-h") ? path : args;
  }
  return isWord ? [...path, "--help"] : args;
}
