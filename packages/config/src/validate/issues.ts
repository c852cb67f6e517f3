import type * as z from "zod";
import type { KeyPath } from "../document/key-path.ts";

type Issue = z.core.$ZodIssue;

/** One finding of a schema, with unions resolved. */
export type Finding =
  | { readonly type: "unknown-key"; readonly path: KeyPath; readonly key: string }
  | {
      readonly type: "invalid-value";
      readonly path: KeyPath;
      /** The schema's own message; absent if only its forms can be listed. */
      readonly message?: string;
      /** True when the value is one of the allowed kind, and empty. */
      readonly empty?: boolean;
      /** True when the value is of another type than allowed, or absent. */
      readonly otherType?: boolean;
    }
  /** An invalid name in an object of names; `options` are the valid ones. */
  | { readonly type: "invalid-name"; readonly path: KeyPath; readonly message?: string; readonly options: readonly string[] };

/** Replaces every message of the schema library, because its texts are not for people. Passed to each parse. */
export const NO_WORDS = "";

/** Turns the issues of a schema into findings. For a union, its own message wins, otherwise the branch that fits best. */
export function findingsOf(issues: readonly Issue[], prefix: KeyPath = []): Finding[] {
  return issues.flatMap((issue): Finding[] => {
    const path = [...prefix, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))];
    if (issue.code === "unrecognized_keys") return issue.keys.map((key): Finding => ({ type: "unknown-key", path: [...path, key], key }));
    if (issue.code === "invalid_union" && issue.message === NO_WORDS) {
      const branch = bestBranch(issue.errors);
      if (branch !== undefined) return findingsOf(branch, path);
    }
    const message = issue.message === NO_WORDS ? {} : { message: issue.message };
    if (issue.code === "invalid_key") {
      const [inner] = issue.issues;
      const options = inner?.code === "invalid_value" ? inner.values.filter((value) => typeof value === "string") : [];
      const told = inner === undefined || inner.message === NO_WORDS ? message : { message: inner.message };
      return [{ type: "invalid-name", path, ...told, options }];
    }
    const isEmpty = issue.code === "too_small" && (issue.origin === "string" || issue.origin === "array") && issue.minimum === 1;
    return [
      {
        type: "invalid-value",
        path,
        ...message,
        ...(isEmpty ? { empty: true } : {}),
        ...(issue.code === "invalid_type" ? { otherType: true } : {}),
      },
    ];
  });
}

/** The branch with the fewest issues among the intended ones, judged by the type of the value; `undefined` if there is none. */
function bestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const meant = branches.filter((issues) => !issues.some((issue) => issue.path.length === 0 && isWrongKind(issue)));
  return meant.toSorted((left, right) => weight(left) - weight(right))[0];
}

function isWrongKind(issue: Issue): boolean {
  return issue.code === "invalid_type" || issue.code === "invalid_value" || issue.code === "invalid_union";
}

/** A wrong literal, such as `type`, marks a branch that was not meant. */
function weight(issues: readonly Issue[]): number {
  const weigh = (issue: Issue): number => {
    if (issue.code === "unrecognized_keys") return issue.keys.length;
    return issue.code === "invalid_value" && issue.values.length === 1 ? 100 : 2;
  };
  return issues.reduce((sum, issue) => sum + weigh(issue), 0);
}
