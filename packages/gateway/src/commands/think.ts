import { ModelError, THINKING_LEVELS } from "@factotum/agent-contract";
import type { ModelInfo, ThinkingLevel } from "@factotum/agent-contract";
import { clampThinking, thinkingLevelsOf } from "@factotum/models";
import type { CommandSession, TargetSession } from "./command-target.ts";
import { defineCommand, hasWish, parseWish } from "./define-command.ts";
import type { Command, Wish } from "./define-command.ts";

/** Shows or sets how much the model thinks. */
export const thinkCommand: Command = defineCommand<Wish>({
  name: "/think",
  summary: "show how much the model thinks; /think <level> chooses, /think default undoes that",
  hint: "[LEVEL | default]",
  words: [...THINKING_LEVELS, "default"],
  access: "anyone",
  parse: parseWish,
  changes: hasWish,
  run: ({ wish }, { session }) => chooseThinking(session, wish),
});

/** The answer of `/think`, after it has applied the setting. */
async function chooseThinking(session: TargetSession, wish: string | undefined): Promise<string> {
  const before = await session.read();
  const info = await infoOf(before);
  if (wish === undefined) return [thinkingLine(before, info), `/think takes ${levelList(info)}, or default.`].join("\n");
  if (wish.toLowerCase() === "default") {
    await session.choose({ thinking: null });
    return `From the next message on: ${thinkingLine(await session.read(), info)}`;
  }
  const level = THINKING_LEVELS.find((known) => known === wish.toLowerCase());
  if (level === undefined) return `"${wish}" is no level of thinking. /think takes ${levelList(info)}, or default.`;
  await session.choose({ thinking: level });
  return `From the next message on: ${thinkingLine(await session.read(), info)}`;
}

/** The thinking level of a conversation, its source, and the actual level if the model does not take it. */
export function thinkingLine({ record, agent }: CommandSession, info: ModelInfo | undefined): string {
  const level = record?.overrides.thinking ?? agent.config.thinking;
  if (level === undefined) return "thinking is left to the model.";
  const origin = record?.overrides.thinking === undefined ? "as configured" : "as it was chosen for this conversation";
  const note = info === undefined ? undefined : clampThinking(info, level).note;
  return `thinking ${level}, ${origin}.${note === undefined ? "" : ` ${note}`}`;
}

/** An unusable model reports that when it is used; the setting is stored all the same. */
export async function infoOf({ record, agent }: CommandSession): Promise<ModelInfo | undefined> {
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
