import type { ConfigProblem } from "@factotum/config";
import type { Finding } from "./finding.ts";

/** Accounts with the login of another one. */
export function checkSharedLogins(problems: readonly ConfigProblem[]): readonly Finding[] {
  return problems.map(({ path, message }) => ({
    check: "shared-login",
    level: "warning",
    message: `${path}: ${message}.`,
    fix: `Give each account a login of its own, or remove one: factotum config unset ${path}`,
  }));
}
