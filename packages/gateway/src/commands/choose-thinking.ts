import { ModelError, THINKING_LEVELS } from "@factotum/agent-contract";
import type { ModelInfo, ThinkingLevel } from "@factotum/agent-contract";
import { clampThinking, noThoughtsNote, thinkingLevelsOf } from "@factotum/models";
import type { TurnServices } from "../turn/turn-services.ts";
import { changeOverrides, readTarget } from "./command-target.ts";
import type { CommandSession, CommandTarget } from "./command-target.ts";
import { REASONING_CHOICES } from "../queue/inline-directives.ts";
import type { ReasoningChoice } from "../queue/inline-directives.ts";

/** What `/think` answers, after it has done what it was asked for. */
export async function thinkCommand(target: CommandTarget, wish: string | undefined, services: TurnServices): Promise<string> {
  const session = await readTarget(target, services);
  const info = await infoOf(session);
  if (wish === undefined) return [thinkingLine(session, info), `/think takes ${levelList(info)}, or default.`].join("\n");
  if (wish.toLowerCase() === "default") {
    await changeOverrides(target, { thinking: null }, services);
    return `From the next message on: ${thinkingLine(await readTarget(target, services), info)}`;
  }
  const level = THINKING_LEVELS.find((known) => known === wish.toLowerCase());
  if (level === undefined) return `"${wish}" is no level of thinking. /think takes ${levelList(info)}, or default.`;
  await changeOverrides(target, { thinking: level }, services);
  return `From the next message on: ${thinkingLine(await readTarget(target, services), info)}`;
}

/** How much is thought in a conversation, why, and what the model gets when it does not take that. */
export function thinkingLine({ record, agent }: CommandSession, info: ModelInfo | undefined): string {
  const level = record?.overrides.thinking ?? agent.config.thinking;
  if (level === undefined) return "thinking is left to the model.";
  const origin = record?.overrides.thinking === undefined ? "as it is configured" : "as it was chosen for this conversation";
  const note = info === undefined ? undefined : clampThinking(info, level).note;
  return `thinking ${level}, ${origin}.${note === undefined ? "" : ` ${note}`}`;
}

/** What `/reasoning` answers, after it has done what it was asked for. */
export async function reasoningCommand(target: CommandTarget, wish: string | undefined, services: TurnServices): Promise<string> {
  const choices = `${REASONING_CHOICES.join(", ")} or default`;
  const choice = REASONING_CHOICES.find((known) => known === wish?.toLowerCase());
  if (choice === undefined && wish !== undefined && wish.toLowerCase() !== "default")
    return `"${wish}" is not understood. /reasoning takes ${choices}.`;
  if (wish !== undefined) await changeOverrides(target, { reasoning: choice ?? null }, services);
  const line = await reasoningLine(await readTarget(target, services));
  return wish === undefined ? `${line} /reasoning takes ${choices}.` : `From the next message on: ${line}`;
}

/** Who sees the thoughts in a conversation, and why there are none where that is so. */
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

/** A model that cannot be used says so when it is asked; what is chosen here holds all the same. */
async function infoOf({ record, agent }: CommandSession): Promise<ModelInfo | undefined> {
  try {
    return (await agent.model(record?.overrides.model)).client.info;
  } catch (error) {
    if (ModelError.isInstance(error)) return undefined;
    throw error;
  }
}

function levelList(info: ModelInfo | undefined): string {
  const levels: readonly ThinkingLevel[] = info === undefined ? THINKING_LEVELS : thinkingLevelsOf(info);
  return levels.join(", ");
}
