/** Why an allowlist entry matches no one, and what to do. */
export interface SenderIdProblem {
  readonly message: string;
  readonly fix: string;
}

/** Checks an entry of an allowlist; `undefined` for `account:<name>` and `nick:<name>` in lower case, and for `*`. */
export function senderIdProblem(id: string): SenderIdProblem | undefined {
  if (id === "*") return undefined;
  if (!/^(?:account|nick):[^\s,:]+$/.test(id)) {
    return {
      message: `"${id}" matches nobody: people are identified by the account of the network's services.`,
      fix: "Write account:<name>, in lower case; on a network without accounts nick:<name>, which anybody can take.",
    };
  }
  return /[A-Z]/.test(id) ? { message: `"${id}" matches nobody: ids are in lower case.`, fix: `Write ${id.toLowerCase()}.` } : undefined;
}
