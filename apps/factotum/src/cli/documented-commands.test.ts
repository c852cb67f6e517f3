import { CommanderError, type Command } from "commander";
import { statePaths } from "@factotum/config";
import { describe, expect, test } from "vitest";
import { listDocuments, parseCode, readDocument } from "../../test/documents.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { createProgram } from "./program.ts";

/** Plans name commands that do not exist yet; decisions and change notes name those of their time. */
const documents = listDocuments().filter((file) => !/^(docs\/plans|docs\/decisions|\.changeset)\/|(^|\/)fixtures\//.test(file));

/** Replacements of placeholders whose value the command checks. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  AGE: "7d",
  COMMAND: "status",
  HASH: "0".repeat(64),
  KIND: "main",
  L: "info",
  LEVEL: "high",
  MINUTES: "30",
  N: "1",
  TIME: "2h",
  TURN: "1",
};

/** Words before the command in a document: a prompt, variables, the ways to start it from this tree. */
const BEFORE = /^(?:\$|sudo|npx|pnpm|[A-Z_]+=.*)$/;

interface DocumentedCommand {
  readonly line: number;
  readonly words: readonly string[];
  /** Inline code may name a command without its arguments. */
  readonly isMention: boolean;
}

/** The commands of a shell line, each as a list of words. Quotes are removed, redirections and substitutions end a command, `<name>` is a placeholder. */
function shellCommands(line: string): string[][] {
  const commands: string[][] = [[]];
  for (const [token, single, double] of line
    .replaceAll(/<[a-z][\w -]*>/g, "COMMAND")
    .matchAll(/'([^']*)'|"([^"]*)"|[|&;<>()]+|#.*|[^\s'"|&;<>()]+/g)) {
    if (token.startsWith("#")) break;
    if (/^[|&;<>()]/.test(token)) commands.push([]);
    else commands.at(-1)?.push(single ?? double ?? token);
  }
  return commands;
}

/** The words after `factotum`; `undefined` for another program. */
function ownWords(words: readonly string[]): readonly string[] | undefined {
  const start = words.findIndex((word) => !BEFORE.test(word));
  return words[start] === "factotum" ? words.slice(start + 1) : undefined;
}

/** One line for each alternative of `a|b`, optional parts included. */
function alternatives(text: string): string[] {
  const choice = /[^\s|]+(?:\|[^\s|]+)+/.exec(text)?.[0];
  return choice === undefined ? [text] : choice.split("|").flatMap((word) => alternatives(text.replace(choice, word)));
}

function commandsOf(source: string): DocumentedCommand[] {
  const { fences, codes } = parseCode(source);
  const fenced = fences
    .filter(({ language }) => ["sh", "bash", "console"].includes(language))
    .flatMap(({ text, line, language }) =>
      text
        .replaceAll(/\\\n/g, " ")
        .split("\n")
        .filter((row) => language !== "console" || row.startsWith("$ "))
        .map((row) => ({ row, line, isMention: false })),
    );
  const inline = codes.flatMap(({ text, line }) =>
    alternatives(text.replaceAll(/[[\]…]/g, "")).map((row) => ({ row, line, isMention: true })),
  );
  return [...fenced, ...inline].flatMap(({ row, ...rest }) =>
    shellCommands(row).flatMap((words) => {
      const own = ownWords(words);
      return own === undefined ? [] : { ...rest, words: own.map((word) => PLACEHOLDERS[word] ?? word) };
    }),
  );
}

/** The real command line, with commands that do nothing. */
function createIdleProgram(note: CliContext["note"]): Command {
  const context: CliContext = {
    env: {},
    paths: statePaths({}),
    version: "0.0.0-test",
    self: { file: "", args: [] },
    platform: "linux",
    knownExtensions: {},
    print: () => {},
    note,
    signal: new AbortController().signal,
  };
  const program = createProgram(context, () => {});
  for (const command of leavesOf(program)) command.action(() => {});
  return program;
}

/** The commands without subcommands. */
function leavesOf(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

/** The error of the command line for these words; empty if it would run them. */
function complaint(words: readonly string[]): string {
  let said = "";
  const program = createIdleProgram((text) => void (said += text));
  try {
    program.parse([...words], { from: "user" });
    return "";
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? "" : said.split("\n", 1).join("");
  }
}

/** True if the words name a command or a group of commands, and nothing else. */
function isCommandName(words: readonly string[]): boolean {
  let command: Command | undefined = createIdleProgram(() => {});
  for (const word of words) command = command?.commands.find((child) => child.name() === word);
  return command !== undefined;
}

const problemsOf = (source: string): string[] =>
  commandsOf(source)
    .filter(({ words, isMention }) => !(isMention && isCommandName(words)))
    .flatMap(({ line, words }) => {
      const problem = complaint(words);
      return problem === "" ? [] : `line ${line}: factotum ${words.join(" ")}: ${problem}`;
    });

test("the documents have commands", () => {
  expect(documents).toEqual(
    expect.arrayContaining(["README.md", "AGENTS.md", "SECURITY.md", "docs/cli.md", "extensions/feishu/README.md"]),
  );
  expect(documents.flatMap((file) => commandsOf(readDocument(file))).length).toBeGreaterThan(50);
});

test.each(documents)("%s names no command that does not exist", (file) => {
  expect(problemsOf(readDocument(file))).toEqual([]);
});

describe("the table of commands", () => {
  /** The first column, optional parts included. */
  const rows = readDocument("docs/cli.md")
    .split("## ", 1)
    .join("")
    .split("\n")
    .filter((row) => row.startsWith("| `"))
    .flatMap((row) => [...(row.split(/(?<!\\)\|/)[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text));
  const lines = rows
    .map((row) => row.replaceAll("\\|", "|").replaceAll(/[[\]…]| \|(?= )/g, ""))
    .flatMap(alternatives)
    .map((row) => row.split(" ").map((word) => PLACEHOLDERS[word] ?? word));

  test("has only lines that the command line accepts", () => {
    expect(lines.length).toBeGreaterThan(40);
    expect(lines.filter((words) => complaint(words) !== "").map((words) => words.join(" "))).toEqual([]);
  });

  test("has every command with every option", () => {
    const missing = leavesOf(createIdleProgram(() => {})).flatMap((command) => {
      const names = pathOf(command);
      const shown = lines.filter((words) => names.every((name, index) => words[index] === name));
      const options = command.options.flatMap(({ long }) => (long === "--json" ? [] : (long ?? [])));
      if (shown.length === 0) return [names.join(" ")];
      return options.filter((option) => !shown.some((words) => words.includes(option))).map((option) => `${names.join(" ")} ${option}`);
    });
    expect(missing).toEqual([]);
  });

  function pathOf(command: Command): string[] {
    return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
  }
});

describe("the checker", () => {
  test.each([
    ["an unknown command", "`factotum sttus`", "unknown command 'sttus'"],
    ["an unknown option", "`factotum status --jsn`", "unknown option '--jsn'"],
    ["an argument too many", "`factotum status now`", "too many arguments"],
    ["a missing argument", "```sh\nfactotum sessions show\n```", "missing required argument 'key'"],
    ["a missing value", "`factotum context --turn`", "argument missing"],
    ["a missing option", "```sh\nfactotum agent\n```", "required option '-m, --message <text>' not specified"],
    ["a value that is refused", "```sh\nfactotum gateway run --port x\n```", "A port is a number"],
    ["a group without its command", "```console\n$ factotum auth\n```", "factotum auth"],
    ["a command behind others", "```sh\ncd /tmp && FOO=1 npx pnpm factotum statuss | jq\n```", "unknown command 'statuss'"],
    ["one of several", "`factotum gateway start|stopp`", "unknown command 'stopp'"],
  ])("finds %s", (_name, source, words) => {
    expect(problemsOf(source)).toEqual([expect.stringContaining(words)]);
  });

  test.each([
    "`factotum deadletters` and `factotum sessions import`",
    "`factotum sessions list [--kind KIND] [--limit N]`, `factotum completion bash|zsh|fish`, `factotum …`",
    "```sh\nsource <(factotum completion bash)\nfactotum config set tools.profile '[\"coding\"]' # not factotum stat\n```",
    "```console\n$ factotum status\nfactotum nothing\n```\n\n```json5\nfactotum nothing\n```",
    "`factotum/<agent>`, `factotum help <command>`, `factotum -v`",
    "```sh\ngit clone <this repository> factotum && cd factotum\n```",
  ])("accepts %s", (source) => {
    expect(problemsOf(source)).toEqual([]);
  });
});
