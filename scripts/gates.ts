// The gates of `npm test`, in order. Every gate runs even if an earlier one failed, so that one run shows everything; only gates that read the build need it.
// Gates that leave a core idle for part of their time run concurrently, and each prints its output in one block. Temporary files are in memory where that is
// possible. The failed tests, and those that passed only when they ran again, are listed at the end, where readers of a log look first; the last line sums the tests of all runs.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { failedTests, listFailedTests, retriedTests, type TestReport } from "./gates/failed-tests.ts";
import { createMemoryFolder } from "./gates/memory-folder.ts";
import { ROOT } from "./workspace.ts";

interface Gate {
  readonly name: string;
  readonly commands: readonly (readonly string[])[];
  /** A gate before it that must not have failed. */
  readonly needs?: string;
  /** Runs concurrently with the others of its kind. By default a gate runs alone, because it keeps every core busy, or measures. */
  readonly isConcurrent?: true;
  /** The JSON report of its test run. */
  readonly report?: string;
}

/** Totals of the test runs of all gates. */
interface Tally {
  passed: number;
  failed: number;
  skipped: number;
  /** By gate. */
  readonly failedTests: Map<string, readonly string[]>;
  /** Those that failed and passed when they ran again: a race of a test or of the product, or a machine that stood still. */
  readonly retriedTests: string[];
}

const REPORTS = join(ROOT, "node_modules/.factotum/reports");
const REPORTER = join(ROOT, "scripts/gates/report-with-errors.ts");

interface GateOptions {
  /** Ignore every cache; a missing system package is a failure. */
  readonly force: boolean;
  /** Run unit tests of these packages only, by folder name; all if empty. */
  readonly project: readonly string[];
  /** Write snapshots and golden files again. */
  readonly update: boolean;
}

function gates({ force, project, update }: GateOptions): Gate[] {
  const report = (name: string): string => join(REPORTS, `${name}.json`);
  const vitest = (name: string, ...args: string[]): string[] =>
    [
      "vitest",
      "run",
      "--reporter=default",
      `--reporter=${REPORTER}`,
      `--outputFile.json=${report(name)}`,
      ...(update ? ["-u"] : []),
    ].concat(args);
  const ensurePrograms = ["node", "scripts/ensure-system-packages.ts", ...(force ? ["--required"] : [])];
  return [
    // The tests find them installed; a gate of tests that runs without this one installs them itself.
    { name: "programs", isConcurrent: true, commands: [ensurePrograms] },
    { name: "format", isConcurrent: true, commands: [["oxfmt", "--check"]] },
    {
      name: "lint",
      isConcurrent: true,
      commands: [["oxlint", "--type-aware", "--deny-warnings"], vitest("lint", "--project", "repo")],
      report: report("lint"),
    },
    { name: "types", isConcurrent: true, commands: [["tsc", "-b", ...(force ? ["--force"] : [])]] },
    { name: "dead-code", isConcurrent: true, commands: [["knip"]] },
    {
      name: "build",
      isConcurrent: true,
      commands: [["turbo", "run", "build", "--output-logs=new-only", "--ui=stream", ...(force ? ["--force"] : [])]],
    },
    {
      name: "api",
      isConcurrent: true,
      commands: [vitest("api", "--config", "vitest.api.config.ts")],
      needs: "build",
      report: report("api"),
    },
    {
      name: "unit",
      commands: [
        // The conformance tests against servers that others wrote need their programs.
        ...(project.length === 0 ? [ensurePrograms] : []),
        vitest("unit", ...(project.length === 0 ? ["!repo"] : project).flatMap((name) => ["--project", name])),
      ],
      report: report("unit"),
    },
    {
      name: "e2e",
      commands: [ensurePrograms, vitest("e2e", "--config", "vitest.e2e.config.ts")],
      needs: "build",
      report: report("e2e"),
    },
  ];
}

async function main(): Promise<void> {
  const flag = { type: "boolean", default: false } as const;
  const { values, positionals } = parseArgs({
    options: { force: flag, update: flag, project: { type: "string", multiple: true, default: [] } },
    allowPositionals: true,
  });
  const all = gates(values);
  const unknown = positionals.filter((name) => !all.some((gate) => gate.name === name));
  if (unknown.length > 0) {
    console.error(`There is no gate ${unknown.join(", ")}. The gates are: ${all.map(({ name }) => name).join(", ")}.`);
    process.exitCode = 2;
    return;
  }
  const failed: string[] = [];
  const total: Tally = { passed: 0, failed: 0, skipped: 0, failedTests: new Map(), retriedTests: [] };
  mkdirSync(REPORTS, { recursive: true });
  const run = async (gate: Gate, isAlone: boolean): Promise<void> => {
    if (gate.needs !== undefined && failed.includes(gate.needs)) console.log(`\n── ${gate.name}: not run, because ${gate.needs} failed`);
    else if (!(await passes(gate, total, isAlone))) failed.push(gate.name);
  };
  const chosen = all.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const concurrent = chosen.filter(({ isConcurrent }) => isConcurrent);
  const running = new Map<string, Promise<void>>();
  for (const gate of concurrent) {
    const needed = running.get(gate.needs ?? "") ?? Promise.resolve();
    running.set(
      gate.name,
      needed.then(() => run(gate, concurrent.length === 1)),
    );
  }
  await Promise.all(running.values());
  for (const gate of chosen) if (!gate.isConcurrent) await run(gate, true);
  console.log("");
  for (const entry of total.retriedTests) console.log(`↻ passed when it ran again: ${entry}`);
  for (const line of listFailedTests(total.failedTests)) console.log(line);
  if (total.skipped > 0) console.log(`${total.skipped} skipped`);
  if (failed.length > 0) console.log(`Failed: ${failed.join(", ")}`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

/** Runs all commands of a gate, so that one run shows everything. A gate that runs alone prints at once, otherwise it prints everything at its end. */
async function passes(gate: Gate, total: Tally, isAlone: boolean): Promise<boolean> {
  const pieces: Buffer[] = [];
  const print = isAlone ? (text: Buffer) => void process.stdout.write(text) : (text: Buffer) => void pieces.push(text);
  print(Buffer.from(`\n── ${gate.name}\n`));
  if (gate.report !== undefined) rmSync(gate.report, { force: true });
  const startedMs = performance.now();
  let ok = true;
  for (const command of gate.commands) ok = (await succeeds(command, isAlone ? undefined : print)) && ok;
  if (gate.report !== undefined) addReport(total, gate.name, gate.report, ok);
  print(Buffer.from(`── ${gate.name}: ${ok ? "ok" : "FAILED"} in ${((performance.now() - startedMs) / 1000).toFixed(1)} s\n`));
  process.stdout.write(Buffer.concat(pieces));
  return ok;
}

/** Without `print` the command inherits the output of this process. */
function succeeds([file = "", ...args]: readonly string[], print?: (text: Buffer) => void): Promise<boolean> {
  const color = process.stdout.isTTY ? { FORCE_COLOR: "1" } : {};
  const child =
    print === undefined
      ? spawn(file, args, { cwd: ROOT, stdio: "inherit" })
      : spawn(file, args, { cwd: ROOT, env: { ...process.env, ...color }, stdio: ["ignore", "pipe", "pipe"] });
  if (print !== undefined) for (const stream of [child.stdout, child.stderr]) stream?.on("data", print);
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.once("SIGTERM", forward).once("SIGINT", forward);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      process.off("SIGTERM", forward).off("SIGINT", forward);
      if (signal !== null) {
        removeTemporaryFiles();
        process.kill(process.pid, signal);
      }
      resolve(code === 0);
    });
  });
}

/** Adds the result of a test run; a run that failed without a failed test, or left no report, counts as one failure. */
function addReport(total: Tally, gate: string, file: string, ok: boolean): void {
  const report: TestReport = existsSync(file)
    ? (JSON.parse(readFileSync(file, "utf8")) as TestReport)
    : { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, testResults: [], unhandledErrors: [] };
  total.passed += report.numPassedTests;
  total.failed += ok ? report.numFailedTests : Math.max(report.numFailedTests, 1);
  total.skipped += report.numPendingTests;
  total.retriedTests.push(...retriedTests(report, ROOT));
  const failed = failedTests(report, ROOT);
  total.failedTests.set(gate, ok || failed.length > 0 ? failed : ["failed without a failed test: its own output above says why"]);
}

function removeTemporaryFiles(): void {
  if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
}

const temporary = createMemoryFolder();
if (temporary !== undefined) process.env["TMPDIR"] = temporary;
try {
  await main();
} finally {
  removeTemporaryFiles();
}
