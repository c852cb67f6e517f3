/** Why an allowlist entry matches no one, and what to do. */
export interface SenderIdProblem {
  readonly message: string;
  readonly fix: string;
}

/** Checks an entry of an allowlist; `undefined` for a member ID and for `*`. People are identified by member ID alone. */
export function senderIdProblem(id: string): SenderIdProblem | undefined {
  if (id === "*" || /^[UWB][A-Z0-9]{2,}$/.test(id)) return undefined;
  const kind = /^[CGD][A-Z0-9]{2,}$/.test(id) ? "the id of a conversation" : "not a member ID";
  return {
    message: `"${id}" is ${kind} and matches nobody: people are identified by member ID alone.`,
    fix: "Write the member ID (U…): in Slack open the person's profile, the menu with three dots, Copy member ID.",
  };
}
