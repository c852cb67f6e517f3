import { execFileSync, spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { planRunning, planTuning, type ProcessFacts } from "./tune-process.ts";

const facts = (changes: Partial<ProcessFacts> = {}): ProcessFacts => ({
  platform: "linux",
  env: { HOME: "/home/ada", EMPTY: undefined },
  execPath: "/usr/bin/node",
  execArgv: ["--no-warnings"],
  argv: ["/usr/bin/node", "/opt/factotum.mjs", "gateway", "run"],
  hasChannel: false,
  ...changes,
});

test("re-executes a gateway as the same command, with a larger young generation and an allocator that returns memory", () => {
  expect(planTuning(facts())).toEqual({
    args: ["/usr/bin/node", "--no-warnings", "--min-semi-space-size=4", "--max-semi-space-size=32", "/opt/factotum.mjs", "gateway", "run"],
    env: {
      HOME: "/home/ada",
      MALLOC_MMAP_THRESHOLD_: "8192",
      MALLOC_TOP_PAD_: "16384",
      FACTOTUM_TUNED: "1",
    },
  });
});

test("sets the flags only after loading, because under each of them Node compiles its own modules again", () => {
  const program = `
    const usage = require("internal/test/binding").internalBinding("builtins").getCacheUsage();
    console.log(usage.compiledWithCache.size > 0, usage.compiledWithoutCache.size);`;
  const run = (...flags: string[]): string =>
    execFileSync(process.execPath, ["--no-warnings", "--expose-internals", ...flags, "-e", program], { encoding: "utf8" }).trim();
  expect(run()).toBe("true 0");
  expect(run("--min-semi-space-size=4", "--max-semi-space-size=32")).toBe("true 0");
  for (const flag of planRunning([])) expect(run(flag)).toMatch(/^false [1-9]/);
});

test("keeps a flag of the command line, and sets the others", () => {
  const all = planRunning([]);
  expect(planRunning(["--no-warnings", "--invocation-count-for-maglev=9000"])).toEqual(
    all.filter((flag) => !flag.startsWith("--invocation-count")),
  );
});

test("keeps the young generation of the command line", () => {
  const args = planTuning(facts({ execArgv: ["--max-semi-space-size=8"] }))?.args;
  expect(args?.filter((arg) => arg.startsWith("--max-semi-space-size"))).toEqual(["--max-semi-space-size=8"]);
});

test("uses only flags that V8 knows, which prints an error for others", () => {
  const set = (flags: readonly string[]): string =>
    spawnSync(process.execPath, ["-e", `for (const flag of ${JSON.stringify(flags)}) require("node:v8").setFlagsFromString(flag)`], {
      encoding: "utf8",
    }).stderr;
  expect(set(planRunning([]))).toBe("");
  expect(set(["--no-such-flag=1"])).toContain("--no-such-flag");
});

test.each<[string, Partial<ProcessFacts>]>([
  ["the second time", { env: { FACTOTUM_TUNED: "1" } }],
  ["where the allocator is already configured", { env: { MALLOC_ARENA_MAX: "4" } }],
  ["under a parent that talks over a channel", { hasChannel: true }],
  ["on a system with another allocator", { platform: "darwin" }],
])("does not re-execute %s", (_case, changes) => {
  expect(planTuning(facts(changes))).toBeUndefined();
});
