import type * as z from "zod";
import type { KeyPath } from "../document/key-path.ts";

type Issue = z.core.$ZodIssue;

/** One finding of a schema, unions decided. */
export type Finding =
  | { readonly type: "unknown-key"; readonly path: KeyPath; readonly key: string }
  | { readonly type: "invalid-value"; readonly path: KeyPath; readonly message: string; readonly options?: readonly string[] };

/** Turns the issues of a schema into findings. Of a union, the branch that fits best speaks. */
export function findingsOf(issues: readonly Issue[], prefix: KeyPath = []): Finding[] {
  return issues.flatMap((issue) => {
    const path = [...prefix, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))];
    if (issue.code === "unrecognized_keys") return issue.keys.map((key): Finding => ({ type: "unknown-key", path: [...path, key], key }));
    if (issue.code === "invalid_union") {
      const branch = bestBranch(issue.errors);
      if (branch !== undefined) return findingsOf(branch, path);
    }
    if (issue.code === "invalid_key")
      return [{ type: "invalid-value", path, message: issue.issues[0]?.message ?? "this name is not allowed" }];
    const options = issue.code === "invalid_value" ? issue.values.filter((value) => typeof value === "string") : [];
    return [{ type: "invalid-value", path, message: readable(issue.message), ...(options.length > 0 ? { options } : {}) }];
  });
}

/** The branch with the fewest issues among those that were meant, going by the kind of the value; `undefined` when none was. */
function bestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const meant = branches.filter((issues) => !issues.some((issue) => issue.path.length === 0 && isWrongKind(issue)));
  return meant.toSorted((left, right) => weight(left) - weight(right))[0];
}

function isWrongKind(issue: Issue): boolean {
  return issue.code === "invalid_type" || issue.code === "invalid_value" || issue.code === "invalid_union";
}

function weight(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.code === "unrecognized_keys" ? issue.keys.length : 2), 0);
}

function readable(message: string): string {
  const text = message.replace(/^Invalid (input|option): /, "");
  if (text === "Invalid input") return "this value fits none of the forms that are allowed here";
  return /received (undefined|null)$/.test(text)
    ? text.replace(/, received undefined$/, ", but it is missing").replace(/, received null$/, ", but it is null; remove the key instead")
    : text;
}
