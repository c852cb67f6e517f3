import type { NoticeBlock } from "@factotum/protocol";
import { groupOf } from "../conversation/session-context.ts";
import { changesNothing, defineCommand, parseNothing } from "./define-command.ts";
import type { Command, CommandCall } from "./define-command.ts";
import { RESETS } from "./reset.ts";

/** How long skills and own commands are looked up. */
const LOOKUP_MS = 5000;

/** Maximum skills and own commands in the list. */
const MAX_LISTED = 40;

/** Lists the commands that the sender may use, with the skills and the commands of the workspace. */
export const helpCommand: Command = defineCommand({
  name: "/help",
  summary: "show this list",
  access: "anyone",
  parse: parseNothing,
  changes: changesNothing,
  isGivenOnce: true,
  run: async (_, call) => {
    const { session, commands } = call;
    const given = [...RESETS, ...commands.filter(({ access }) => access === "anyone" || session.target.input.admission.owner)];
    return [{ type: "rows", rows: given.map(({ name, summary }) => ({ name, text: summary })) }, ...(await ownCommands(call))];
  },
});

async function ownCommands({ session: { target }, running, channels, promptCommands }: CommandCall): Promise<readonly NoticeBlock[]> {
  const { message, admission } = target.input;
  const found = await promptCommands.list({
    agent: running.agent(target.agentId),
    group: groupOf(message.origin, channels),
    owner: admission.owner,
    isShared: message.origin.conversation.kind !== "direct",
    signal: AbortSignal.timeout(LOOKUP_MS),
  });
  if (found.length === 0) return [];
  const left = found.length - MAX_LISTED;
  return [
    { type: "text", text: "Skills and commands of your own:" },
    { type: "rows", rows: found.slice(0, MAX_LISTED).map(({ name, summary }) => ({ name: `/${name}`, text: summary })) },
    ...(left > 0 ? [{ type: "text" as const, text: `${left} more are not listed.` }] : []),
  ];
}
