/** A reset starts a new conversation. It has a place of its own in the queue, so it is not run like the other commands. */
export interface ResetCommand {
  readonly type: "reset";
  /** The model of the new conversation. */
  readonly model?: string;
}

/** Reads a configured trigger. Behind one that is a word with a slash stands a model or nothing, and nothing behind another. */
export function parseReset(text: string, triggers: readonly string[]): ResetCommand | undefined {
  const isTrigger = (said: string): boolean => triggers.some((trigger) => trigger.toLowerCase() === said.toLowerCase());
  if (isTrigger(text)) return { type: "reset" };
  const [, trigger = "", model = ""] = /^(\/\S+)[ \t]+(\S+)$/.exec(text) ?? [];
  return isTrigger(trigger) ? { type: "reset", model } : undefined;
}
