import { once } from "node:events";
import { Worker } from "node:worker_threads";

/** Most problems listed per file. */
const MAX_PROBLEMS = 5;

/** Runs in a thread: a check reads the whole file and must not block the gateway. */
const PROGRAM = `
const { DatabaseSync } = require("node:sqlite");
const { parentPort, workerData } = require("node:worker_threads");
const check = () => {
  const database = new DatabaseSync(workerData.path, { readOnly: true });
  try {
    return database.prepare(\`PRAGMA \${workerData.check}(${MAX_PROBLEMS})\`).all().map((row) => String(row[workerData.check]));
  } finally {
    database.close();
  }
};
let lines;
try { lines = check(); } catch (error) { lines = [String(error.message)]; }
parentPort.postMessage(lines.filter((line) => line !== "ok"));
`;

/**
 * Structural problems that SQLite finds in a database file that no process writes to; empty if it is sound. `isThorough`: also checks that the indexes match
 * their tables.
 */
export async function checkFile(path: string, { isThorough = false }: { readonly isThorough?: boolean } = {}): Promise<readonly string[]> {
  const check = isThorough ? "integrity_check" : "quick_check";
  const worker = new Worker(PROGRAM, { eval: true, workerData: { path, check }, execArgv: [], env: {} });
  try {
    const [problems] = (await once(worker, "message")) as [readonly string[]];
    return problems;
  } finally {
    await worker.terminate();
  }
}
