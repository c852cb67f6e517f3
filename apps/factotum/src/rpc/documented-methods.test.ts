import { readFileSync } from "node:fs";
import { statePaths } from "@factotum/config";
import { RESERVED_COMMANDS } from "@factotum/gateway";
import { RPC_EVENTS, RPC_METHODS } from "@factotum/protocol";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { listFiles } from "../../test/documents.ts";
import { createProgram } from "../cli/program.ts";

const [methods = "", events = ""] = readFileSync(new URL("../../../../docs/rpc.md", import.meta.url), "utf8")
  .split(/^## /m)
  .filter((part) => /^(?:Methods|Events)\n/.test(part));

const program = createProgram(
  {
    env: {},
    paths: statePaths({}),
    version: "0.0.0-test",
    self: { file: "", args: [] },
    platform: "linux",
    knownExtensions: {},
    print: () => {},
    note: () => {},
    signal: new AbortController().signal,
  },
  () => {},
);

/** The names in the first cells of the tables of a part. */
function namesIn(part: string): readonly string[] {
  const cells = [...part.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = ""]) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([\w.-]+)`/g)].map(([, name = ""]) => name)).toSorted();
}

test("docs/rpc.md lists every method once, and no other", () => {
  expect(namesIn(methods)).toEqual(Object.keys(RPC_METHODS).toSorted());
});

test("docs/rpc.md lists every event once, and no other", () => {
  expect(namesIn(events)).toEqual(Object.keys(RPC_EVENTS).toSorted());
});

/** What each row of the methods names as the command that does the same. */
const commands = methods
  .split("\n")
  .filter((row) => row.startsWith("| `"))
  .map((row) => [...(row.split("|")[3] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));

test("docs/rpc.md names a command in every row, and none that does not exist", () => {
  expect(commands.length).toBeGreaterThan(30);
  expect(commands.filter((row) => row.length === 0)).toEqual([]);
  expect(commands.flat().filter((name) => !isCommand(name))).toEqual([]);
  expect(["channels directory", "/undone", "chanels"].filter(isCommand)).toEqual([]);
});

/** True for a slash command, and for words that name a command or a group of commands of the command line. */
function isCommand(name: string): boolean {
  if (name.startsWith("/")) return RESERVED_COMMANDS.includes(name.slice(1));
  let command: Command | undefined = program;
  for (const word of name.split(" ")) command = command?.commands.find((child) => child.name() === word);
  return command !== undefined;
}

test("every method is requested by the page, by a command or for an editor", () => {
  const sources = listFiles("apps/web/src/*.ts", "apps/web/src/*.tsx", "apps/factotum/src/*.ts", "packages/acp-server/src/*.ts")
    // What the page shows again after a request is no request.
    .filter((file) => !/\.test\.tsx?$|\/query-keys\.ts$/.test(file))
    .map((file) => readFileSync(file, "utf8"));
  expect(sources.length).toBeGreaterThan(500);
  expect(Object.keys(RPC_METHODS).filter((name) => !sources.some((text) => text.includes(`"${name}"`)))).toEqual([]);
});
