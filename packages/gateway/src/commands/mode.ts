import { modeOf, SESSION_MODES } from "../conversation/session-mode.ts";
import type { SessionMode } from "../conversation/session-mode.ts";
import type { CommandSession, TargetSession } from "./command-target.ts";
import { defineCommand, hasWish, parseWish } from "./define-command.ts";
import type { Command, Wish } from "./define-command.ts";

/** Shows or sets which tool calls run here. */
export const modeCommand: Command = defineCommand<Wish>({
  name: "/mode",
  summary: "which tool calls run here: read-only, ask (as configured), workspace, or full, which asks about none of your commands",
  hint: "[read-only | ask | workspace | full]",
  words: ["read-only", "ask", "workspace", "full"],
  access: "owner",
  parse: parseWish,
  changes: hasWish,
  run: ({ wish }, { session }) => chooseMode(session, wish),
});

const CHOICES = `${SESSION_MODES.join(", ")} or default`;

/** The answer of `/mode`, after it has applied the setting. */
async function chooseMode(session: TargetSession, wish: string | undefined): Promise<string> {
  if (wish === undefined) return `${modeLine(await session.read())} /mode takes ${CHOICES}.`;
  const mode = wish.toLowerCase() === "default" ? "ask" : SESSION_MODES.find((known) => known === wish.toLowerCase());
  if (mode === undefined) return `"${wish}" is not a mode. /mode takes ${CHOICES}.`;
  await session.choose({ mode: mode === "ask" ? null : mode });
  return `From the next tool call on: ${modeLine(await session.read())}`;
}

/** The mode of a conversation, and what it does. */
export function modeLine({ record }: Pick<CommandSession, "record">): string {
  const mode = modeOf(record);
  return `mode ${mode}, ${MODE_EFFECTS[mode]}`;
}

/** What each mode does. */
export const MODE_EFFECTS: Readonly<Record<SessionMode, string>> = {
  "read-only": "only tool calls that change nothing run, whoever writes.",
  ask: "tool calls run and ask as configured.",
  workspace: "as ask: changes to files of the workspace are not asked about, and commands run and ask as configured.",
  full: "your commands are not asked about. What the configuration denies stays denied, and calls after text of others still ask.",
};
