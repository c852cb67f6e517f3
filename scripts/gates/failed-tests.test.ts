import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ROOT } from "../workspace.ts";
import { failedTests, listFailedTests, retriedTests, type TestReport } from "./failed-tests.ts";

const REPORTER = join(import.meta.dirname, "report-with-errors.ts");
const folder = realpathSync(mkdtempSync(join(tmpdir(), "factotum-failed-tests-")));
symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The report that the test runner itself writes about these files. */
function reportOn(files: Readonly<Record<string, string>>): TestReport {
  for (const [name, source] of Object.entries(files)) writeFileSync(join(folder, name), source);
  const path = join(folder, "report.json");
  spawnSync("vitest", ["run", "--root", folder, "--config", "vitest.config.mjs", `--reporter=${REPORTER}`, `--outputFile.json=${path}`]);
  return JSON.parse(readFileSync(path, "utf8")) as TestReport;
}

test("names each failed test, unloadable file, throwing hook and uncaught error, and nothing else", () => {
  const use = `import { beforeAll, describe, expect, test } from "vitest";`;
  const report = reportOn({
    "vitest.config.mjs": "export default {};",
    "a.test.mjs": `${use}
      describe("a group", () => {
        test("that holds", () => {});
        test("that breaks", () => expect({ text: "left" }).toEqual({ text: "right" }));
      });`,
    "b.test.mjs": `throw new Error("cannot be loaded\\nsecond line");`,
    "c.test.mjs": `${use}
      describe("never begins", () => {
        beforeAll(() => { throw new Error("the hook threw"); });
        test("one", () => {});
      });`,
    "d.test.mjs": `${use} test.skip("left out", () => {}); test("fine", () => {});`,
    "e.test.mjs": `${use}
      test("passes too early", async () => {
        setTimeout(() => { throw new Error("thrown too late"); });
        await new Promise((resolve) => setTimeout(resolve, 50));
      });`,
  });
  expect(report.numFailedTests).toBeGreaterThan(0);
  const entries = failedTests(report, folder).toSorted();
  expect(entries).toHaveLength(4);
  const [broken = "", unloaded = "", hook = "", uncaught = ""] = entries;
  expect(broken).toMatch(
    /^a\.test\.mjs > a group > that breaks\n {4}AssertionError: expected .*\n(.*\n)* {4}at .*a\.test\.mjs:\d+:\d+\)?$/u,
  );
  expect(unloaded).toMatch(/^b\.test\.mjs\n {4}(Error: )?cannot be loaded\n {4}second line/u);
  expect(hook).toMatch(/^c\.test\.mjs/u);
  expect(uncaught).toMatch(/^outside of the tests\n {4}Error: thrown too late\n(.*\n)* {4}at .*e\.test\.mjs:\d+:\d+\)?$/u);
});

test("names each test that passed when it ran again, which is not a failure", () => {
  const report = reportOn({
    "vitest.config.mjs": `export default { test: { retry: 1, include: ["retried.test.mjs"] } };`,
    "retried.test.mjs": `import { describe, expect, test } from "vitest";
      let attempts = 0;
      describe("a group", () => test("late once", () => expect(++attempts).toBe(2)));
      test("in time", () => {});
      test("never", () => expect(1).toBe(2));`,
  });
  const [retried = "", ...others] = retriedTests(report, folder);
  expect(others).toEqual([]);
  expect(retried).toMatch(/^retried\.test\.mjs > a group > late once\n {4}AssertionError: expected 1 to be 2/u);
  expect(failedTests(report, folder)).toEqual([expect.stringMatching(/^retried\.test\.mjs > never\n/u)]);
});

test("cuts long errors, and drops colours", () => {
  const message = `\u001B[31mError: ${"x".repeat(1_000)}\u001B[39m\n${"line\n".repeat(50)}`;
  const file = { name: "/r/a.test.ts", status: "failed", message: "" };
  const failed = { ancestorTitles: [], title: "t", status: "failed", failureMessages: [message] };
  const report = {
    numPassedTests: 0,
    numFailedTests: 1,
    numPendingTests: 0,
    testResults: [{ ...file, assertionResults: [failed] }],
    unhandledErrors: [],
  };
  const [entry = ""] = failedTests(report, "/r");
  expect(entry.split("\n")).toHaveLength(5);
  expect(entry).toMatch(/^a\.test\.ts > t\n {4}Error: x+…\n {4}line\n/u);
  expect(entry.length).toBeLessThan(400);
});

test("lists at most 20 over all gates, and the number of further ones", () => {
  const many = Array.from({ length: 15 }, (_, index) => `file-${index}`);
  expect(listFailedTests(new Map([["unit", many.slice(0, 2)]]))).toEqual(["✗ unit: file-0", "✗ unit: file-1"]);
  const lines = listFailedTests(
    new Map([
      ["unit", many],
      ["e2e", many],
    ]),
  );
  expect(lines).toHaveLength(21);
  expect(lines[15]).toBe("✗ e2e: file-0");
  expect(lines.at(-1)).toBe("… and 10 more failed");
  expect(listFailedTests(new Map())).toEqual([]);
});
