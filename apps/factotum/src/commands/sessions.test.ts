import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RpcMethods } from "@factotum/protocol";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";

const KEY = "agent:main:main";

test("sessions are listed, shown, exported, imported, reset and deleted from the command line", { timeout: 120_000 }, async () => {
  await using cli = await CliHome.create();
  expect((await cli.run("sessions", "list")).code).toBe(3);
  const running = cli.spawn("gateway", "run", "--setup", "--port", "0");
  await running.waitFor(/#token=/);
  const json = async <Result>(...args: readonly string[]): Promise<Result> =>
    JSON.parse((await cli.run(...args, "--json")).stdout) as Result;
  const list = async (...args: readonly string[]): Promise<readonly string[]> =>
    (await json<RpcMethods["sessions.list"]["result"]>("sessions", "list", ...args)).sessions.map(({ key }) => key).toSorted();
  expect((await cli.run("sessions", "list")).stderr).toContain("no such sessions");
  await cli.run("agent", "-m", "list the files");
  await cli.run("agent", "-m", "hello", "--session", "agent:main:telegram:group:7");

  expect(await list()).toEqual([KEY, "agent:main:telegram:group:7"]);
  expect(await list("--kind", "group")).toEqual(["agent:main:telegram:group:7"]);
  // The newest one is of another kind: the command continues until it has enough.
  expect(await list("--kind", "main", "--limit", "1")).toEqual([KEY]);
  expect(await list("--agent", "ghost")).toEqual([]);
  expect(await list("--active", "5")).toHaveLength(2);
  expect((await cli.run("sessions", "list", "--limit", "1")).stderr).toContain("--cursor");
  expect((await cli.run("sessions", "list", "--kind", "odd")).code).toBe(2);

  const shown = await json<RpcMethods["sessions.show"]["result"]>("sessions", "show", KEY);
  expect(shown.entry).toMatchObject({
    sessionId: shown.session.sessionId,
    sessionFile: `${shown.session.sessionId}.jsonl`,
    displayName: expect.any(String) as string,
    totalTokens: expect.any(Number) as number,
    deliveryContext: { channel: "cli" },
    systemPromptReport: { cause: "new-session", tools: expect.arrayContaining([expect.objectContaining({ name: "read" })]) as object[] },
    skillsSnapshot: { prompt: expect.any(String) as string },
  });
  expect((await cli.run("sessions", "show", KEY)).stdout).toContain(`\nagent main; last message from cli/default, direct "${KEY}"\n`);
  const summary = (await cli.runWith({ isTerminal: true }, "sessions", "show", KEY)).stdout;
  expect(summary).toMatch(/^agent:main:main\n {2}name {4}[^\n]+\n {2}kind {4}main\n {2}agent {3}main\n/);
  expect(summary).toContain(`from    cli/default, direct "${KEY}"\n`);
  expect(summary).toMatch(/\(cli\), just now\n {2}list the files\n/);
  expect(summary).toMatch(/Assistant, just now\n[^{]*\[uses [a-z]+\]\n/);
  expect(summary).not.toContain("systemPromptReport");
  expect((await cli.run("sessions", "show", "agent:main:none")).code).toBe(1);

  const file = join(cli.home, "export.jsonl");
  expect((await cli.run("sessions", "export", KEY, "--output", file)).code).toBe(0);
  const exported = await readFile(file, "utf8");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await cli.run("sessions", "export", KEY)).stdout).toBe(exported);
  expect((await cli.run("sessions", "export", KEY, "--output", file)).code).toBe(1);
  expect(exported.split("\n").length).toBeGreaterThan(3);

  expect(await json("sessions", "export", KEY, "--output", join(cli.home, "second.jsonl"))).toMatchObject({ key: KEY });
  expect((await cli.run("sessions", "export", "agent:main:none", "--output", join(cli.home, "none.jsonl"))).code).toBe(1);
  expect(await readdir(cli.home)).not.toContain("none.jsonl");

  const present = await cli.run("sessions", "import", file);
  expect(present).toMatchObject({ code: 0, stdout: expect.stringContaining(`present  ${KEY}`) as string });
  const refused = await cli.run("sessions", "delete", KEY);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("--yes");
  const asked: string[] = [];
  expect((await cli.runAsked(async (question) => asked.push(question) < 0, "sessions", "delete", KEY)).stderr).toContain(
    "nothing was removed",
  );
  expect(await list()).toContain(KEY);
  expect((await cli.runAsked(async (question) => asked.push(question) > 0, "sessions", "delete", KEY)).code).toBe(0);
  expect(asked).toHaveLength(2);
  expect(await list()).not.toContain(KEY);

  const trial = await cli.run("sessions", "import", file, "--dry-run");
  expect(trial.stdout).toContain(`taken    ${KEY}`);
  expect(trial.stderr).toContain("nothing was changed");
  expect(await list()).not.toContain(KEY);
  expect((await cli.run("sessions", "import", file)).stdout).toBe(trial.stdout);
  expect((await cli.run("sessions", "export", KEY)).stdout).toBe(exported);
  expect((await cli.run("sessions", "import", file, "--key", "agent:main:copy")).stdout).toContain("taken    agent:main:copy");
  expect((await cli.run("sessions", "import", file, "--agent", "ghost")).stderr).toContain("no agent");
  await cli.run("agent", "-m", "go on");
  expect((await cli.run("sessions", "export", KEY)).stdout.split("\n").length).toBeGreaterThan(exported.split("\n").length);

  const theirs = join(cli.home, "theirs");
  await mkdir(theirs);
  await writeFile(join(theirs, "sessions.json"), JSON.stringify({ "agent:main:slack:dm:u1": { sessionId: "s1", label: "Old" }, bad: {} }));
  const line = { role: "user", content: "hello", timestamp: 1769774401000 };
  await writeFile(
    join(theirs, "s1.jsonl"),
    `${JSON.stringify({ type: "session", id: "s1", timestamp: 1769774400000 })}\n${JSON.stringify(line)}\n{"to`,
  );
  await writeFile(join(theirs, "s0.jsonl"), "");
  const report = (await cli.run("sessions", "import", theirs)).stdout;
  expect(report).toContain("taken    agent:main:slack:direct:u1: 1 entry\n         the last line (3) was cut off");
  expect(report).toContain("refused  agent:main:bad");
  expect(report).toContain("left     s0.jsonl");
  expect((await cli.run("sessions", "import", join(cli.home, "nowhere"))).code).toBe(1);

  const before = await json<RpcMethods["sessions.show"]["result"]>("sessions", "show", KEY);
  const reset = await json<RpcMethods["sessions.reset"]["result"]>("sessions", "reset", KEY);
  expect(reset.session.sessionId).not.toBe(before.session.sessionId);
  expect((await cli.run("sessions", "reset", "agent:main:none")).code).toBe(1);
  expect(await json("sessions", "delete", KEY, "--yes")).toEqual({ deleted: true });
});
