/** A reset starts a new conversation. It is queued in its session, so it does not run like the other commands. */
export interface ResetCommand {
  readonly type: "reset";
  /** The model of the new conversation. */
  readonly model?: string;
}

/** Parses a configured trigger. A trigger that is a word with a slash may be followed by a model; any other must be the whole message. */
export function parseReset(text: string, triggers: readonly string[]): ResetCommand | undefined {
  const isTrigger = (said: string): boolean => triggers.some((trigger) => trigger.toLowerCase() === said.toLowerCase());
  if (isTrigger(text)) return { type: "reset" };
  const [, trigger = "", model = ""] = /^(\/\S+)[ \t]+(\S+)$/.exec(text) ?? [];
  return isTrigger(trigger) ? { type: "reset", model } : undefined;
}
