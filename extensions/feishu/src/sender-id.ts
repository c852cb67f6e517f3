/** Why an allowlist entry matches no one, and what to do. */
export interface SenderIdProblem {
  readonly message: string;
  readonly fix: string;
}

/** Checks an entry of an allowlist; `undefined` for an open id and for `*`. People are identified by open id alone. */
export function senderIdProblem(id: string): SenderIdProblem | undefined {
  if (id === "*" || id.startsWith("ou_")) return undefined;
  const kind = id.startsWith("on_") ? "a union id" : id.startsWith("oc_") ? "the id of a chat" : "not an open id";
  return {
    message: `"${id}" is ${kind} and matches nobody: people are identified by open id alone.`,
    fix: "Write the open id under which this app sees the person (ou_…); the API Explorer of the developer console looks it up.",
  };
}
