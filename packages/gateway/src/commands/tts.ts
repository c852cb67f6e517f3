import type { FactotumConfig } from "@factotum/config";
import type { SpeechMode } from "../delivery/plan-speech.ts";
import type { TargetSession } from "./command-target.ts";
import { defineCommand, hasWish, parseWish } from "./define-command.ts";
import type { Command, Wish } from "./define-command.ts";

const CHOICES: readonly SpeechMode[] = ["off", "always", "inbound", "tagged"];

/** Shows or sets when answers are spoken. */
export const ttsCommand: Command = defineCommand<Wish>({
  name: "/tts",
  summary: "always speaks my answers, inbound those to voice messages, tagged those that I choose, off none",
  hint: "[off | always | inbound | tagged | default]",
  words: ["off", "always", "inbound", "tagged", "default"],
  access: "anyone",
  parse: parseWish,
  changes: hasWish,
  run: ({ wish }, { session, running }) => chooseSpeech(session, wish, running.config),
});

/** The answer of `/tts`, after it has applied the setting. */
async function chooseSpeech(session: TargetSession, wish: string | undefined, { messages: { tts } }: FactotumConfig): Promise<string> {
  const choices = `${CHOICES.join(", ")} or default`;
  const choice = CHOICES.find((known) => known === wish?.toLowerCase());
  if (choice === undefined && wish !== undefined && wish.toLowerCase() !== "default")
    return `"${wish}" is not understood. /tts takes ${choices}.`;
  if (wish !== undefined) await session.choose({ tts: choice ?? null });
  const { record } = await session.read();
  const mode = record?.overrides.tts ?? tts.auto;
  const missing =
    mode !== "off" && tts.provider === undefined ? " But nothing can speak yet: the owner has to set messages.tts.provider." : "";
  const line = `${DISPLAYS[mode]}${missing}`;
  return wish === undefined ? `${line} /tts takes ${choices}.` : `From the next message on: ${line}`;
}

const DISPLAYS: Readonly<Record<SpeechMode, string>> = {
  off: "answers are not spoken.",
  always: "every answer is spoken.",
  inbound: "answers to voice messages are spoken.",
  tagged: "the answers that the assistant marks are spoken.",
};
