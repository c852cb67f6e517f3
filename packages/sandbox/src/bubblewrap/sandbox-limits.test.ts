import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { processesWith } from "../../test/processes-with.ts";
import { startSandboxScene, type SandboxScene } from "../../test/sandbox-scene.ts";

let scene: SandboxScene | undefined;
afterEach(async () => {
  await scene?.[Symbol.asyncDispose]();
  scene = undefined;
});

const start = async (): Promise<SandboxScene> => (scene = await startSandboxScene({ maxProcesses: 40, maxMemoryBytes: 300 * 1024 ** 2 }));

/** A tree of 127 processes: far above the limit, and bounded whatever the limit does. */
const TREE = 'grow() { [ "$1" -gt 0 ] || { exec sleep 16180; }; grow $(($1 - 1)) & grow $(($1 - 1)) & wait; }; grow 6';

describe.runIf(process.platform === "linux")("the limits of the host's runner hold in the sandbox", () => {
  test("a command with too many processes ends, with all of them", async () => {
    const { inside, intact } = await start();
    const { end } = await inside(TREE);
    expect(end).toMatchObject({ type: "over-limit", limit: "processes", allowed: 40 });
    expect(processesWith("sleep\x0016180")).toEqual([]);
    expect(await intact()).toBe(true);
  });

  test("a command that takes too much memory ends; one that takes less does not", async () => {
    const { inside } = await start();
    const hold = (megabytes: number, seconds: number): string =>
      `/usr/bin/python3 -c 'import time; held = b"x" * (${megabytes} << 20); time.sleep(${seconds}); print("held")'`;
    expect((await inside(hold(400, 1000))).end).toMatchObject({ type: "over-limit", limit: "memory" });
    expect(await inside(hold(50, 0.6))).toMatchObject({ end: { type: "exited", exitCode: 0 }, output: "held\n" });
  });

  test.each(["/tmp", "/dev/shm", "~"])("files in memory are limited: %s", async (folder) => {
    const { inside } = await start();
    expect((await inside(`head -c 300M /dev/zero >${folder}/f; wc -c <${folder}/f`)).output).toMatch(/No space left[^]*\n268435456\n/);
    expect((await inside(`head -c 3M /dev/zero >${folder}/f && echo fits`)).output).toBe("fits\n");
  });

  test("a process in the background ends with its command", async () => {
    const { inside } = await start();
    expect((await inside("setsid sleep 31415 >/dev/null 2>&1 & sleep 0.1; echo left")).output).toBe("left\n");
    expect(processesWith("sleep\x0031415")).toEqual([]);
  });

  test("mounts of the sandbox are not those of the host", async () => {
    const before = readFileSync("/proc/self/mountinfo", "utf8");
    const { inside } = await start();
    expect((await inside("grep -c . /proc/self/mountinfo")).end).toEqual({ type: "exited", exitCode: 0 });
    expect(readFileSync("/proc/self/mountinfo", "utf8")).toBe(before);
  });
});
