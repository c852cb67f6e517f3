import { writeFile } from "node:fs/promises";
import { statePaths } from "@factotum/config";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";

test.each([
  [["statsu"], "unknown command 'statsu'", "status"],
  [["gateway", "stat"], "unknown command 'stat'", "start"],
  [["status", "--jsn"], "unknown option '--jsn'", "--json"],
])("%j is a usage error that names the nearest", async (args, problem, nearest) => {
  await using cli = await CliHome.create();
  const { code, stdout, stderr } = await cli.run(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(problem);
  expect(stderr).toMatch(new RegExp(`Did you mean .*${nearest}`));
  expect(stderr).toContain("--help");
});

test.each([
  [["agent", "--mesage", "hi"], "unknown option '--mesage', and required option '-m, --message <text>' not specified"],
  [["agent"], "error: required option '-m, --message <text>' not specified"],
  [["agent", "-m", "hi", "--mesage"], "unknown option '--mesage'"],
])("%j names what is wrong", async (args, problem) => {
  await using cli = await CliHome.create();
  expect(await cli.run(...args)).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(problem) as string });
});

test.each([
  [[]],
  [["gateway"]],
  [["agent"]],
  [["config", "set", "gateway.port"]],
  [["gateway", "run", "--port", "many"]],
  [["gateway", "run", "--port", "70000"]],
])("%j is a usage error", async (args: string[]) => {
  await using cli = await CliHome.create();
  expect((await cli.run(...args)).code).toBe(2);
});

test.each([[["--help"]], [["gateway", "--help"]], [["config", "set", "--help"]], [["help", "agent"]]])(
  "%j shows help",
  async (args: string[]) => {
    await using cli = await CliHome.create();
    const { code, stdout, stderr } = await cli.run(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("Usage: factotum");
  },
);

test.each([["status"], ["gateway", "status"], ["agent", "-m", "hello"]].map((args) => [args]))(
  "%j without a gateway ends with 3 and names the command that starts it",
  async (args: string[]) => {
    await using cli = await CliHome.create();
    const people = await cli.run(...args);
    expect(people.code).toBe(3);
    expect(people.stdout + people.stderr).toContain("factotum gateway start");
    const program = await cli.run(...args, "--json");
    expect(program.code).toBe(3);
    expect(JSON.parse(program.stdout)).toMatchObject(args[0] === "agent" ? { error: { code: "notRunning" } } : { running: false });
  },
);

test.each(["status", "doctor", "setup"])("a state directory that is a file: %s says what to do", async (command) => {
  await using cli = await CliHome.create();
  await writeFile(cli.factotumHome, "not a folder");
  const { code, stderr } = await cli.run(command);
  expect(code).toBe(1);
  expect(stderr).toContain(cli.factotumHome);
  expect(stderr).toContain("set FACTOTUM_HOME");
});

test
  .runIf(process.platform === "linux")
  .each([
    ["gateway", "run"],
    ["gateway", "start"],
    ["setup"],
    ["config", "set", "agents.defaults.systemPrompt", "x"],
    ["reset", "--state", "--yes"],
  ])("a state directory where no folder can be made: %s %s ends with what to do", async (...args) => {
  await using cli = await CliHome.create();
  const env = { ...cli.env, FACTOTUM_HOME: "/proc/nowhere/deep" };
  const { code, stderr } = await cli.runWith({ env, paths: statePaths(env) }, ...args);
  expect(code).toBe(1);
  expect(stderr).toContain("/proc takes no new folders");
});

test("context compares with the previous request if --diff names no turn", async () => {
  await using cli = await CliHome.create();
  // The options are valid: only the gateway is missing.
  expect((await cli.run("context", "--diff")).code).toBe(3);
  expect((await cli.run("context", "--diff", "2")).code).toBe(3);
  expect((await cli.run("context", "--diff", "two")).code).toBe(2);
});

test("--version loads only the entry file of the product", async () => {
  await using cli = await CliHome.create();
  const hook = `import { registerHooks } from "node:module";
    registerHooks({ load: (url, context, next) => { if (!url.startsWith("node:")) process.stderr.write(url + "\\n"); return next(url, context); } });`;
  const running = cli.spawnNode(["--import", `data:text/javascript,${encodeURIComponent(hook)}`], ["--version"]);
  const { code, stdout, stderr } = await running.ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string });
  const loaded = stderr
    .trim()
    .split("\n")
    .filter((url) => !url.startsWith("data:"));
  // The entry file, and what knows the version.
  expect(loaded.length).toBeLessThanOrEqual(4);
  expect(loaded.filter((url) => url.includes("node_modules"))).toEqual([]);
});
