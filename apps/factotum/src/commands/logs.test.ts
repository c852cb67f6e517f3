import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";

const LINES = [
  { level: "info", time: "2026-11-22T01:00:00.000Z", message: "Channel started", channel: "feishu" },
  { level: "debug", time: "2026-11-22T01:00:01.000Z", message: "Input ignored" },
  {
    level: "error",
    time: "2026-11-22T01:00:02.000Z",
    message: "It failed",
    error: { type: "Error", message: "bad", cause: { message: "deeper" } },
  },
  { level: "warn", time: "2026-11-22T01:00:03.000Z", message: "Odd", detail: "\u001b[2Jgone" },
].map((fields) => JSON.stringify(fields));

async function withLog(cli: CliHome): Promise<string> {
  const folder = join(cli.factotumHome, "logs");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "gateway.log.1"), `${LINES.slice(0, 2).join("\n")}\n`);
  await writeFile(join(folder, "gateway.log"), `${LINES.slice(2).join("\n")}\nnot ours \u0007\n`);
  return join(folder, "gateway.log");
}

test("the log is shown with the gateway down, one line each, and its content cannot move the cursor", async () => {
  await using cli = await CliHome.create();
  await withLog(cli);
  const { code, stdout } = await cli.run("logs");
  expect(code).toBe(0);
  expect(stdout.split("\n")).toEqual([
    "2026-11-22 01:00:00 info  Channel started channel=feishu",
    "2026-11-22 01:00:01 debug Input ignored",
    '2026-11-22 01:00:02 error It failed error="bad: deeper"',
    "2026-11-22 01:00:03 warn  Odd detail=\\u001b[2Jgone",
    "not ours \\u0007",
    "",
  ]);
});

test("lines and level filter, JSON prints them unchanged", async () => {
  await using cli = await CliHome.create();
  await withLog(cli);
  expect((await cli.run("logs", "--lines", "2", "--level", "warn", "--json")).stdout).toBe(`${LINES.slice(2).join("\n")}\n`);
  expect((await cli.run("logs", "--lines", "1", "--json")).stdout).toBe(`${JSON.stringify({ message: "not ours \u0007" })}\n`);
  expect((await cli.run("logs", "--lines", "3", "--level", "info")).stdout).not.toContain("Channel started");
  expect((await cli.run("logs", "--level", "loud")).code).toBe(2);
  expect((await cli.run("logs", "--lines", "0")).code).toBe(2);
});

test("a missing log is reported, and is no failure", async () => {
  await using cli = await CliHome.create();
  const { code, stdout, stderr } = await cli.run("logs");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  expect(stderr).toContain("gateway.log");
});

test("--follow continues with new lines, and ends with 0 on a signal", async () => {
  await using cli = await CliHome.create();
  const path = await withLog(cli);
  const running = cli.spawn("logs", "--follow", "--lines", "1", "--level", "error");
  await running.waitFor(/It failed/);
  await appendFile(path, `${LINES[0]}\n${LINES[2]?.replace("It failed", "It failed again")}\n`);
  await running.waitFor(/It failed again/);
  running.child.kill("SIGINT");
  const { code, stdout } = await running.ended;
  expect(code).toBe(0);
  expect(stdout).not.toContain("Channel started");
});
