import fs from "node:fs";
import { flushCompileCache, syncBuiltinESMExports } from "node:module";
import { basename, join } from "node:path";

/** Opens a store, and is killed right before a file system change. Arguments: the root folder, and `<function> <name> <how many times>`. */
const [root = "", before = ""] = process.argv.slice(2);

const counts = new Map<string, number>();

/** Counts the calls by the file name that they affect; for a rename and a copy, that is the new one. */
function counted<Work extends (...parameters: never[]) => unknown>(name: string, work: Work): Work {
  return ((...parameters: Parameters<Work>) => {
    const [first, second] = parameters as readonly unknown[];
    const path = typeof second === "string" && name.match(/^(?:rename|copyFile)/) ? second : String(first);
    const change = `${name} ${basename(path).replace(/^damaged-\d+$/, "damaged")}`;
    const count = (counts.get(change) ?? 0) + 1;
    counts.set(change, count);
    if (`${change} ${count}` === before) {
      flushCompileCache();
      fs.writeSync(1, before);
      process.kill(process.pid, "SIGKILL");
    }
    return work(...parameters);
  }) as Work;
}

for (const name of ["mkdir", "rename", "copyFile", "rm"] as const) Object.assign(fs.promises, { [name]: counted(name, fs.promises[name]) });
for (const name of ["renameSync", "rmSync"] as const) Object.assign(fs, { [name]: counted(name, fs[name]) });
syncBuiltinESMExports();

const { openSqliteStore } = await import("../src/index.ts");
const { createTestClock, createTestLogger, TEST_RANDOM } = await import("./open-test-store.ts");
await openSqliteStore({
  folder: join(root, "state"),
  copies: { folder: (agentId) => join(root, "agents", agentId), cwd: () => "/home/ada", agents: async () => [] },
  clock: createTestClock(),
  random: TEST_RANDOM,
  logger: createTestLogger(),
});
process.exit();
