import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { ROOT } from "../workspace.ts";

/** Earlier commits are not checked. */
const SINCE = "2026-11-24T10:00:00Z";
const MAX_SUBJECT = 72;
/** First words of a subject that is not an imperative. */
const NOT_IMPERATIVE =
  /^(?:[\w-]+: )?(?:(?!(?:embed|feed|heed|need|seed|shed|speed|bring|ping)\b)\w+(?:ed|ing)(?=\s|$)|The\b|A\b|An\b|Now\b)/i;

const git = (...args: readonly string[]): string => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();

function problemOf(subject: string): string | undefined {
  if (subject.length > MAX_SUBJECT) return `${subject.length} characters; at most ${MAX_SUBJECT}`;
  if (subject.endsWith(".")) return "ends with a full stop";
  return NOT_IMPERATIVE.test(subject) ? "is not an imperative: begin with a verb such as Add, Keep, Test" : undefined;
}

test.skipIf(git("rev-parse", "--is-shallow-repository") === "true")("commit subjects are short imperatives", () => {
  const subjects = git("log", "--no-merges", `--since=${SINCE}`, "--format=%s").split("\n");
  expect(subjects.flatMap((subject) => problemOf(subject) ?? [])).toEqual([]);
});

test.each([
  ["delivery: requeue rows after a restart", undefined],
  ["Embed the page in the command", undefined],
  ["testing-providers: word the comments plainly", undefined],
  [`Add ${"x".repeat(69)}`, "73 characters; at most 72"],
  ["Add a check.", "ends with a full stop"],
  ["store: added a table", "is not an imperative: begin with a verb such as Add, Keep, Test"],
  ["Adding a table", "is not an imperative: begin with a verb such as Add, Keep, Test"],
  ["The gateway restarts", "is not an imperative: begin with a verb such as Add, Keep, Test"],
])("%j: %s", (subject, problem) => {
  expect(problemOf(subject)).toBe(problem);
});
