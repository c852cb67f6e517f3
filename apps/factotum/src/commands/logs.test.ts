import { appendFile, mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLogService } from "../admin/log-service.ts";
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

test("lines are filtered by what they are about and by their text", async () => {
  await using cli = await CliHome.create();
  await withLog(cli);
  expect((await cli.run("logs", "--source", "fei")).stdout).toBe("2026-11-22 01:00:00 info  Channel started channel=feishu\n");
  expect((await cli.run("logs", "--text", "DEEPER")).stdout).toContain("It failed");
  expect((await cli.run("logs", "--source", "gateway", "--text", "started")).stdout).toBe("");
});

test("clients read the newest lines, then what was written since, also over a change of the file, without secrets", async () => {
  await using cli = await CliHome.create();
  const path = await withLog(cli);
  const service = createLogService({ path, hide: (text) => text.replaceAll("bad", "***") });
  const first = await service.tail({ level: "info", limit: 2 });
  expect(first.lines).toEqual([
    {
      time: "2026-11-22T01:00:03.000Z",
      level: "warn",
      source: "gateway",
      message: "Odd",
      fields: [{ name: "detail", value: "\\u001b[2Jgone" }],
    },
    { level: "info", source: "gateway", message: "not ours \\u0007", fields: [] },
  ]);
  expect(await service.tail({ after: first.cursor })).toEqual({ lines: [], cursor: first.cursor });
  await appendFile(path, `${LINES[2]}\n${LINES[0]}`);
  const second = await service.tail({ after: first.cursor });
  // An unfinished line is read once it is whole.
  expect(second.lines).toMatchObject([{ level: "error", message: "It failed", fields: [{ name: "error", value: "***: deeper" }] }]);
  await appendFile(path, "\n");
  await rename(path, `${path}.1`);
  await writeFile(path, `${LINES[1]}\n`);
  // The rest of the previous file first.
  const third = await service.tail({ after: second.cursor });
  expect(third.lines).toMatchObject([{ source: "feishu", message: "Channel started" }]);
  const fourth = await service.tail({ after: third.cursor });
  expect(fourth.lines).toMatchObject([{ source: "gateway", message: "Input ignored" }]);
  expect(await service.tail({ after: fourth.cursor })).toEqual({ lines: [], cursor: fourth.cursor });
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
