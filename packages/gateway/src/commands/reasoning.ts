import { noThoughtsNote } from "@factotum/models";
import { REASONING_CHOICES } from "../queue/inline-directives.ts";
import type { ReasoningChoice } from "../queue/inline-directives.ts";
import type { CommandSession, TargetSession } from "./command-target.ts";
import { infoOf } from "./think.ts";
import { defineCommand, hasWish, parseWish } from "./define-command.ts";
import type { Command, Wish } from "./define-command.ts";

/** Shows or sets whether the model's thoughts are shown. */
export const reasoningCommand: Command = defineCommand<Wish>({
  name: "/reasoning",
  summary: "on shows the model's thoughts before a reply, stream each at once, off hides them",
  hint: "[on | off | stream | default]",
  words: ["on", "off", "stream", "default"],
  access: "anyone",
  parse: parseWish,
  changes: hasWish,
  run: ({ wish }, { session }) => chooseReasoning(session, wish),
});

/** The answer of `/reasoning`, after it has applied the setting. */
async function chooseReasoning(session: TargetSession, wish: string | undefined): Promise<string> {
  const choices = `${REASONING_CHOICES.join(", ")} or default`;
  const choice = REASONING_CHOICES.find((known) => known === wish?.toLowerCase());
  if (choice === undefined && wish !== undefined && wish.toLowerCase() !== "default")
    return `"${wish}" is not understood. /reasoning takes ${choices}.`;
  if (wish !== undefined) await session.choose({ reasoning: choice ?? null });
  const line = await reasoningLine(await session.read());
  return wish === undefined ? `${line} /reasoning takes ${choices}.` : `From the next message on: ${line}`;
}

/** Where thoughts are shown in a conversation, and why there are none. */
async function reasoningLine(session: CommandSession): Promise<string> {
  const { record, agent } = session;
  const seen = record?.overrides.reasoning ?? agent.config.reasoning;
  const info = seen === "off" ? undefined : await infoOf(session);
  const note = info === undefined ? undefined : noThoughtsNote(info, record?.overrides.thinking ?? agent.config.thinking);
  return note === undefined ? SEEN[seen] : `${SEEN[seen]} ${note}`;
}

const SEEN: Readonly<Record<ReasoningChoice, string>> = {
  off: "thoughts are hidden.",
  on: "thoughts are shown before the reply.",
  stream: "thoughts are shown as soon as they are complete.",
};
