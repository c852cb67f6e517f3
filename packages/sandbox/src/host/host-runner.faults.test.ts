import { randomUUID } from "node:crypto";
import type * as Fs from "node:fs";
import { mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { createHostRunner } from "./host-runner.ts";
import { realClock } from "../../test/real-clock.ts";

const fault = vi.hoisted(() => ({ looks: 0 }));

/** Fails the first look at a process, as if no file handle were left. */
vi.mock("node:fs", async (original) => {
  const real = await original<typeof Fs>();
  const readFileSync = (path: string, encoding: "utf8"): string => {
    if (/^\/proc\/\d+\/stat$/.test(path) && fault.looks++ === 0) throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
    return real.readFileSync(path, encoding);
  };
  return { ...real, readFileSync };
});

test.runIf(process.platform === "linux")("a command whose start time is unknown is run, ended and logged", async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "host-runner-")));
  const warnings: string[] = [];
  const runner = createHostRunner({
    clock: realClock,
    random: { uuid: randomUUID },
    logger: { warn: (message) => void warnings.push(message) },
    recordFolder: join(folder, "records"),
    baseEnv: { PATH: process.env["PATH"] },
    limits: () => ({ maxProcesses: 256, maxMemoryBytes: 2048 * 1024 ** 2 }),
    killGraceMs: 150,
  });
  const { end, output } = await runner.run(
    { command: { type: "shell", text: "echo done" }, cwd: folder, env: {}, timeoutMs: 60_000, maxOutputBytes: 1_000 },
    {
      signal: new AbortController().signal,
      run: {
        runId: "run",
        kind: "user",
        agentId: "main",
        sessionKey: "agent:main:main",
        sessionId: "session",
        workspace: folder,
        owner: true,
        timeZone: "UTC",
      },
      onOutput: () => undefined,
    },
  );
  expect(fault.looks).toBeGreaterThan(0);
  expect(end).toEqual({ type: "exited", exitCode: 0 });
  expect(output).toBe("done\n");
  expect(warnings).toEqual([expect.stringContaining("could not be written down")]);
  expect(await readdir(join(folder, "records"))).toEqual([]);
  await rm(folder, { recursive: true, force: true });
});
