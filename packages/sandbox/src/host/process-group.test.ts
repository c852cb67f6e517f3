import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { isGroupAlive } from "./process-group.ts";

test("a group of which only an unreaped zombie is left counts as gone", async () => {
  // Job control gives the background job a group of its own; the shell then turns into a program that never reaps it.
  const script = "set -m; (read line; exit 0) <&0 & echo $!; exec sleep 1000";
  const parent = spawn("/bin/bash", ["-c", script], { stdio: ["pipe", "pipe", "ignore"] });
  try {
    const [chunk] = (await once(parent.stdout, "data")) as [Buffer];
    const groupId = Number(chunk.toString());
    expect(await isGroupAlive(groupId)).toBe(true);
    parent.stdin.end("\n");
    await expect.poll(() => isGroupAlive(groupId), { timeout: 4_000 }).toBe(false);
    expect(() => process.kill(-groupId, 0)).not.toThrow();
  } finally {
    parent.kill("SIGKILL");
  }
});
