import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

/** The parsed part of a test run's JSON report. */
export interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly TestFile[];
  /** What failed the run outside of its tests, each with its stack. */
  readonly unhandledErrors: readonly string[];
}

interface TestFile {
  /** The file's absolute path. */
  readonly name: string;
  readonly status: string;
  /** Why the file itself failed: it could not be loaded, or one of its hooks threw. */
  readonly message: string;
  readonly assertionResults: readonly TestResult[];
}

interface TestResult {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: string;
  /** Errors of all its attempts: a test that passed when it ran again keeps those of the first. */
  readonly failureMessages: readonly string[];
}

const MAX_TESTS = 20;
const MAX_MESSAGE_LINES = 4;
const MAX_LINE_LENGTH = 240;

/** One entry a failed test, a file that failed without one, or an error that no test caught: where it is, and below that the first lines of the error. */
export function failedTests(report: TestReport, root: string): string[] {
  const tests = report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name);
    const failed = assertionResults.filter((test) => test.status === "failed");
    if (failed.length === 0 && status === "failed")
      return [entry(file, message || "The file failed outside of its tests: it could not be loaded, or a hook of it threw.", root)];
    return failed.map((test) => testEntry(file, test, root));
  });
  return [...tests, ...report.unhandledErrors.map((error) => entry("outside of the tests", error, root))];
}

/** One entry a test that failed, and passed when it ran again, in the same form. */
export function retriedTests({ testResults }: Pick<TestReport, "testResults">, root: string): string[] {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status, failureMessages }) => status === "passed" && failureMessages.length > 0)
      .map((test) => testEntry(relative(root, name), test, root)),
  );
}

/** The last lines of a run's output: at most 20 entries, each under the gate that it failed, and the number of further ones. */
export function listFailedTests(byGate: ReadonlyMap<string, readonly string[]>): string[] {
  const all = [...byGate].flatMap(([gate, entries]) => entries.map((text) => `✗ ${gate}: ${text}`));
  const more = all.length - MAX_TESTS;
  return [...all.slice(0, MAX_TESTS), ...(more > 0 ? [`… and ${more} more failed`] : [])];
}

function testEntry(file: string, { ancestorTitles, title, failureMessages }: TestResult, root: string): string {
  return entry([file, ...ancestorTitles.filter((one) => one !== ""), title].join(" > "), failureMessages[0] ?? "", root);
}

function entry(title: string, message: string, root: string): string {
  const lines = stripVTControlCharacters(message)
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
  const isFrame = (line: string): boolean => /^\s*(at |❯ )/u.test(line);
  const frame = lines.find((line) => isFrame(line) && line.includes(root) && !line.includes("node_modules"));
  const shown = [...lines.filter((line) => !isFrame(line)).slice(0, MAX_MESSAGE_LINES), ...(frame === undefined ? [] : [frame.trim()])];
  return [title, ...shown.map((line) => `    ${cut(line.replaceAll("file://", "").replaceAll(`${root}/`, ""))}`)].join("\n");
}

function cut(line: string): string {
  return line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line;
}
