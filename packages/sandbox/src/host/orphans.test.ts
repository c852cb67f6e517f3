import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { endFamily, familyGone } from "./child-family.ts";
import { createHostRunner } from "./host-runner.ts";
import type { HostRunner } from "./host-runner.ts";
import { startOf } from "./process-table.ts";
import { realClock } from "../../test/real-clock.ts";

let folder: string;
let records: string;
const started: ChildProcess[] = [];

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "orphans-")));
  records = join(folder, "records");
});
afterEach(async () => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

/** The gateway after the next start. */
function nextRunner(): HostRunner {
  const logger = { warn: (message: string) => expect.unreachable(message) };
  const limits = () => ({ maxProcesses: 256, maxMemoryBytes: 2048 * 1024 ** 2 });
  return createHostRunner({
    clock: realClock,
    random: { uuid: randomUUID },
    logger,
    limits,
    recordFolder: records,
    baseEnv: {},
    killGraceMs: 100,
  });
}

/** Runs shell text like a gateway, waits until it has printed `count` process ids, and kills that gateway. */
async function killGatewayThatRuns(text: string, count: number): Promise<readonly number[]> {
  const entry = fileURLToPath(new URL("../../test/run-and-wait.ts", import.meta.url));
  const gateway = spawn(process.execPath, ["--conditions=factotum-source", entry, folder, records, text], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(gateway);
  let output = "";
  const seen = Promise.withResolvers<void>();
  gateway.stdout.setEncoding("utf8").on("data", (piece: string) => {
    output += piece;
    if (output.split("\n").length > count) seen.resolve();
  });
  gateway.once("exit", () => seen.reject(new Error(`it ended too early: ${output}`)));
  await seen.promise;
  gateway.kill("SIGKILL");
  await once(gateway, "exit");
  return output.trim().split("\n").map(Number);
}

/** A zombie does not count as running: reaping it is up to the machine's first process. */
function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return process.platform !== "linux" || !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${processId}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** A process that is no orphan of a gateway. */
async function stranger(): Promise<number> {
  const child = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
  started.push(child);
  await once(child, "spawn");
  return child.pid ?? 0;
}

describe("orphans of a killed gateway", () => {
  test("are ended at the next start, even if they ignore TERM", async () => {
    const pids = await killGatewayThatRuns("trap '' TERM; (trap '' TERM; echo $BASHPID; sleep 1000; :) & echo $$; wait", 2);
    expect(pids.map(isRunning)).toEqual([true, true]);
    expect(await nextRunner().endOrphans()).toEqual({ ended: 1, survivors: 0 });
    await expect.poll(() => pids.map(isRunning)).toEqual([false, false]);
    expect(await readdir(records)).toEqual([]);
    expect(await nextRunner().endOrphans()).toEqual({ ended: 0, survivors: 0 });
  });

  test.runIf(process.platform === "linux")("are found after leaving the group, without a leader", async () => {
    const text = "(setsid bash -c 'echo $$; exec sleep 1000' &); echo $$; sleep 1000";
    const pids = await killGatewayThatRuns(text, 2);
    process.kill(pids.at(-1) ?? 0, 0);
    expect(await nextRunner().endOrphans()).toEqual({ ended: 1, survivors: 0 });
    await expect.poll(() => pids.map(isRunning)).toEqual([false, false]);
  });

  test.runIf(process.platform === "linux")("are found with a clean environment, two sessions away, their parents gone", async () => {
    const daemon = "(setsid sh -c 'echo $$; exec sleep 1000' &)";
    const pids = await killGatewayThatRuns(
      `(setsid env -i PATH="$PATH" bash -c "${daemon.replaceAll("$", "\\$")}" &); echo $$; sleep 1000`,
      2,
    );
    expect(await nextRunner().endOrphans()).toEqual({ ended: 1, survivors: 0 });
    await expect.poll(() => pids.map(isRunning)).toEqual([false, false]);
  });

  test.runIf(process.platform === "linux")("are found although their process was never recorded", async () => {
    const pids = await killGatewayThatRuns("echo $$; exec sleep 1000", 1);
    const [name = ""] = await readdir(records);
    await writeFile(join(records, name), "");
    expect(await nextRunner().endOrphans()).toEqual({ ended: 1, survivors: 0 });
    await expect.poll(() => pids.map(isRunning)).toEqual([false]);
  });

  test("are never another process that reuses the number", async () => {
    const pid = await stranger();
    await mkdir(records);
    const before = String(await startOf(pid)).replace(/\d$/, (digit) => String((Number(digit) + 1) % 10));
    for (const start of [before, undefined, "another boot 1"]) {
      await writeFile(join(records, `${randomUUID()}.json`), `${JSON.stringify({ processId: pid, start })}\n`);
    }
    expect(await nextRunner().endOrphans()).toEqual({ ended: 0, survivors: 0 });
    expect(isRunning(pid)).toBe(true);
    expect(await readdir(records)).toEqual([]);
  });

  test("are recognised by number and start time", async () => {
    const pid = await stranger();
    await mkdir(records);
    await writeFile(join(records, `${randomUUID()}.json`), `${JSON.stringify({ processId: pid, start: await startOf(pid) })}\n`);
    expect(await nextRunner().endOrphans()).toEqual({ ended: 1, survivors: 0 });
    expect(isRunning(pid)).toBe(false);
  });
});

test("a group of only an unreaped zombie counts as gone", async () => {
  // Job control gives the background job its own group; the shell is then replaced by a program that never reaps it.
  const script = "set -m; (read line; exit 0) <&0 & echo $!; exec sleep 1000";
  const parent = spawn("/bin/bash", ["-c", script], { stdio: ["pipe", "pipe", "ignore"] });
  started.push(parent);
  const [chunk] = (await once(parent.stdout, "data")) as [Buffer];
  const processId = Number(chunk.toString());
  const child = { id: randomUUID(), leader: { processId, start: await startOf(processId) }, own: true };
  expect(await familyGone(child, realClock, 0)).toBe(false);
  parent.stdin.end("\n");
  expect(await familyGone(child, realClock, 20_000)).toBe(true);
  expect(() => process.kill(-processId, 0)).not.toThrow();
  expect(await endFamily(child, { clock: realClock, graceMs: 0 })).toBe(true);
});
