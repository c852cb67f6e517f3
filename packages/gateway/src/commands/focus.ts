import { plural } from "@factotum/agent-contract";
import { defineCommand, parseNothing } from "./define-command.ts";
import type { Command, CommandCall } from "./define-command.ts";
import { focusLine } from "./focus-line.ts";
import { treeOf } from "./subagents.ts";

/** Sends the messages of this conversation to a sub-agent that stays open, or to another session. */
export const focusCommand: Command = defineCommand<{ readonly named: string }>({
  name: "/focus",
  summary: "<n|label|key> sends what is said here to a sub-agent or to another session; alone it shows which",
  hint: "[N | LABEL | KEY]",
  access: "anyone",
  parse: (words) => (/^(?:\s|$)/.test(words) ? { named: words.trim() } : undefined),
  changes: ({ named }) => named !== "",
  isGivenOnce: true,
  run: async ({ named }, call) => (named === "" ? focusText(call) : focusOn(named, call)),
});

/** Ends the focus of this conversation. */
export const unfocusCommand: Command = defineCommand({
  name: "/unfocus",
  summary: "end /focus: what is said here goes to this conversation's own session again",
  access: "anyone",
  parse: parseNothing,
  changes: () => true,
  isGivenOnce: true,
  run: async (_, { session, focus }) => {
    const name = await focus.unfocus(session.target.input.message);
    if (name === undefined) return "This conversation is not focused.";
    return `What is said here goes to this conversation's own session again, and no longer to ${name}.`;
  },
});

function focusText(call: CommandCall): string {
  return (
    focusLine(call) ??
    "This conversation is not focused. /focus <n|label|key> sends what is said here to a sub-agent or to another session."
  );
}

async function focusOn(named: string, call: CommandCall): Promise<string> {
  const { session, focus, subagents, running } = call;
  const { sessionKey, agentId, input } = session.target;
  const own = input.admission.focus ?? { sessionKey, agentId };
  const change = await focus.focus({ ...input, own }, named, subagents.book.ofParent(treeOf(call)));
  if (change.type === "refused") return change.message;
  const { idleHours } = running.config.session.threadBindings;
  return [
    `What is said here goes to ${change.name} now.`,
    ...(change.isReadByOthers ? ["Others speak with it, too, and it may tell them what you say."] : []),
    ...(change.isForOthers ? [] : ["Only your messages do: those of others stay here."]),
    `/unfocus ends that${idleHours === 0 ? "" : `, and so do ${plural(idleHours, "hour")} without a message`}.`,
  ].join(" ");
}
