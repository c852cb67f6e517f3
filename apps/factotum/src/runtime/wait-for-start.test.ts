import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { statePaths } from "@factotum/config";
import { expect, test } from "vitest";
import type { CliContext } from "./cli-context.ts";
import { isProcessAlive } from "./is-process-alive.ts";
import { startDetached } from "./start-detached.ts";
import { START_LIMITS, startProgress, waitForStart } from "./wait-for-start.ts";

/** A start that is looked at once a second: ready and making progress as these say, by its age in seconds. */
function wait(isReady: (age: number) => boolean, progressAt: (age: number) => string, signal = new AbortController().signal) {
  let age = 0;
  return waitForStart({
    look: async () => (isReady(age) ? "ready" : undefined),
    progress: async () => progressAt(age),
    limits: START_LIMITS,
    signal,
    now: () => age * 1000,
    pause: async () => void (age += 1),
  });
}

test("a start is waited for while it makes progress, up to five minutes", async () => {
  expect(await wait((age) => age === 200, String)).toEqual({ type: "ready", value: "ready" });
  expect(await wait(() => false, String)).toEqual({ type: "late", waitedMs: 300_000 });
});

test("a start without progress is waited for for half a minute, counted from its last progress", async () => {
  expect(
    await wait(
      (age) => age === 29,
      () => "",
    ),
  ).toEqual({ type: "ready", value: "ready" });
  expect(
    await wait(
      () => false,
      () => "",
    ),
  ).toEqual({ type: "late", waitedMs: 30_000 });
  expect(
    await wait(
      () => false,
      (age) => String(Math.min(age, 50)),
    ),
  ).toEqual({ type: "late", waitedMs: 80_000 });
});

test("an aborted wait ends at once", async () => {
  expect(await wait(() => false, String, AbortSignal.abort())).toEqual({ type: "late", waitedMs: 0 });
});

test("output and log of a starting gateway are its progress, and so is its CPU time on Linux", async () => {
  const home = await mkdtemp(join(tmpdir(), "factotum-start-"));
  try {
    const paths = statePaths({ FACTOTUM_HOME: home });
    await mkdir(dirname(paths.logFile), { recursive: true });
    const seen = new Set([await startProgress(paths)]);
    for (const file of [paths.outputFile, paths.logFile]) {
      await writeFile(file, "a line\n");
      seen.add(await startProgress(paths));
    }
    expect(seen.size).toBe(3);
    expect(seen).toContain(await startProgress(paths));
    if (process.platform !== "linux") return;
    const first = await startProgress(paths, process.pid);
    await expect.poll(async () => startProgress(paths, process.pid), { interval: 0 }).not.toBe(first);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

test("a gateway that is still starting is left running, and the error says how to look after it", async () => {
  const home = await mkdtemp(join(tmpdir(), "factotum-start-"));
  let pid: number | undefined;
  try {
    const env = { FACTOTUM_HOME: home, PATH: process.env["PATH"] ?? "" };
    const context: CliContext = {
      env,
      paths: statePaths(env),
      version: "0.0.0-test",
      self: { file: process.execPath, args: ["-e", "setInterval(() => undefined, 60_000)", "--"] },
      platform: "linux",
      knownExtensions: {},
      print: () => undefined,
      note: () => undefined,
      signal: new AbortController().signal,
    };
    const error = await startDetached(context, { limits: { stallMs: 0, maxMs: 0 } }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: "failure",
      message: expect.stringMatching(/The gateway \(process \d+\) is still starting after 0 seconds/),
      fix: expect.stringContaining('"factotum gateway status"'),
    });
    pid = Number(/process (\d+)/.exec(String(error))?.[1]);
    expect(isProcessAlive(pid)).toBe(true);
  } finally {
    if (pid !== undefined) process.kill(pid, "SIGKILL");
    await rm(home, { recursive: true, force: true });
  }
});
