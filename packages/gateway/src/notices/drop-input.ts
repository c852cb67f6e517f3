import type { InputRecord } from "@factotum/store";
import { answerInput } from "./answer-input.ts";
import type { TurnServices } from "../services/turn-services.ts";

/** Why an input gets no turn, and what its sender is told. */
export const DROPPED = {
  overflow: {
    reason: "too many messages waited",
    text: "Too many messages wait here, so I have dropped this one. Please say it again when I am done.",
  },
  stopped: {
    reason: "the work here was stopped",
    text: "This message was dropped: somebody stopped the work here and what waited for it.",
  },
} as const;

/** Ends an input without a turn, with a word to its sender. */
export async function dropInput(
  services: TurnServices,
  sessionKey: string,
  input: InputRecord,
  { reason, text }: (typeof DROPPED)[keyof typeof DROPPED],
): Promise<void> {
  await answerInput(services, sessionKey, input, { text, level: "warning", state: { type: "told", reason } });
  services.watchers.settled([input.id], reason);
}
