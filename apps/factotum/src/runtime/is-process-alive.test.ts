import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { expect, test } from "vitest";
import { isProcessAlive } from "./is-process-alive.ts";

test("a running process is alive, and one that has ended is not", async () => {
  const child = spawn("cat", { stdio: ["pipe", "ignore", "ignore"] });
  await once(child, "spawn");
  const pid = child.pid ?? 0;
  expect(isProcessAlive(pid)).toBe(true);
  child.stdin.end();
  await once(child, "close");
  expect(isProcessAlive(pid)).toBe(false);
});

test.runIf(process.platform === "linux")("a process that has ended and is not reaped is not alive", async () => {
  // The shell starts a child and is replaced by a program that reaps no children.
  const parent = spawn("sh", ["-c", "cat <&3 >/dev/null & echo $!; exec 3<&- cat"], { stdio: ["pipe", "pipe", "ignore", "pipe"] });
  try {
    const output = parent.stdio[1] as Readable;
    const [line] = (await once(output, "data")) as [Buffer];
    const pid = Number(line.toString());
    expect(isProcessAlive(pid)).toBe(true);
    // Until then the shell may reap it.
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, "latin1")).toBe("cat\n");
    (parent.stdio[3] as Writable).end();
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "latin1")).toContain(") Z ");
    expect(isProcessAlive(pid)).toBe(false);
  } finally {
    parent.kill("SIGKILL");
    await once(parent, "close");
  }
});
