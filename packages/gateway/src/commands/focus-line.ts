import type { CommandCall } from "./define-command.ts";

/** What the conversation is focused on; `undefined` if it is not. */
export function focusLine({ session, focus }: Pick<CommandCall, "session" | "focus">): string | undefined {
  const found = focus.of(session.target.input.message);
  return found === undefined ? undefined : `What is said here goes to ${focus.nameOf(found.sessionKey)}. /unfocus ends that.`;
}
