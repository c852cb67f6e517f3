import type { HostCommands } from "@factotum/channel-contract";
import type { Command } from "./define-command.ts";
import { RESETS } from "./reset.ts";

/** The slash commands for the menus of channels: those that anyone may use. The list of a build does not change. */
export function createHostCommands(commands: readonly Command[]): HostCommands {
  const given = [...RESETS, ...commands.filter(({ access }) => access === "anyone")];
  const list = given.map(({ name, summary }) => ({ name: name.slice(1), summary }));
  return { list: () => list, onChange: () => ({ [Symbol.dispose]() {} }) };
}
