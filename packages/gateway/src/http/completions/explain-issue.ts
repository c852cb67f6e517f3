import type * as z from "zod";

type Issue = z.core.$ZodIssue;

const KINDS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

/** What is wrong with one value of a request, in our own words: those of the schema library are not for people. */
export function explainIssue(issue: Issue, body: unknown): string {
  const missing = valueAt(body, issue.path) === undefined ? "it is missing; " : "";
  return `${missing}${explain(issue)}`;
}

function explain(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return `${KINDS[issue.expected] ?? "another value"} is expected`;
    case "invalid_value":
      return `${oneOf(issue.values.map(String))} is expected`;
    case "invalid_union":
      return issue.discriminator === undefined ? "a text or a list of parts is expected" : `${oneOf(ROLES)} is expected`;
    case "too_small":
      return issue.origin === "array" ? "the list is empty; at least one entry is expected" : "the text is empty";
    case "too_big":
      return `at most ${String(issue.maximum)} characters are allowed`;
    default:
      return "it is not valid";
  }
}

/** The roles of messages. */
const ROLES = ["system", "developer", "user", "assistant", "tool"];

function oneOf(values: readonly string[]): string {
  return values.length === 1 ? (values[0] ?? "") : `one of ${values.join(", ")}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null && Object.hasOwn(inner, key) ? Reflect.get(inner, key) : undefined),
    value,
  );
}
