import type { SessionFileProblem } from "@factotum/store";

/** Maximum problems reported per file; a broken file can have one per line. */
const MAX_PROBLEMS = 10;

/** Describes what was repaired or left out of a transcript. */
export function describeProblems(problems: readonly SessionFileProblem[]): readonly string[] {
  const told = problems.slice(0, MAX_PROBLEMS).map(describeProblem);
  return problems.length > MAX_PROBLEMS ? [...told, `and ${problems.length - MAX_PROBLEMS} more of the kind`] : told;
}

function describeProblem(problem: SessionFileProblem): string {
  switch (problem.type) {
    case "torn-tail":
      return `the last line (${problem.line}) was cut off; everything before it was taken`;
    case "unreadable-line":
      return `line ${problem.line} could not be read and was left out`;
    case "no-header":
      return "the first line of a session file is missing";
    case "newer-version":
      return `it is of the newer version ${problem.version}; what was understood was taken`;
    case "lost-cut":
      return "a summary names an entry that is not there; more was kept than it says";
    case "left-out":
      return `${problem.count} of the kind ${problem.kind} left out: no part of a conversation here`;
    case "other-branch":
      return `${problem.count} left out that were on branches which the conversation has left`;
  }
}
