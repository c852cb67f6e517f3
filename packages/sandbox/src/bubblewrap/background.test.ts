import type { RunningCommand } from "@factotum/agent-contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { processesWith } from "../../test/processes-with.ts";
import { startSandboxScene, type SandboxScene } from "../../test/sandbox-scene.ts";

const TERMINAL = { type: "terminal", columns: 100, rows: 30 } as const;

const outputOf = ({ output }: RunningCommand): string => output.read(0, 10_000).text;
const shows = async (command: RunningCommand, text: string): Promise<void> => expect.poll(() => outputOf(command)).toContain(text);

describe.runIf(process.platform === "linux")("a command in the background of bubblewrap", () => {
  let scene: SandboxScene;
  beforeAll(async () => {
    scene = await startSandboxScene();
    expect(await scene.sandbox.backend({ backend: "bubblewrap", image: "" })).toMatchObject({ type: "ready" });
  });
  afterAll(async () => scene[Symbol.asyncDispose]());

  test("reads its input, shows its output meanwhile, and ends with its input", async () => {
    const command = await scene.begin("id -un; cat; echo over", { input: { type: "pipe" } });
    await shows(command, "sandbox\n");
    expect(command.write("first\n")).toBe("written");
    await shows(command, "first\n");
    command.closeInput();
    expect((await command.ended).end).toEqual({ type: "exited", exitCode: 0 });
    expect(outputOf(command)).toBe("sandbox\nfirst\nover\n");
  });

  test("has no input unless it was asked for", async () => {
    const command = await scene.begin("cat; echo over");
    expect([(await command.ended).output, command.write("x")]).toEqual(["over\n", "closed"]);
  });

  test("has a terminal of its own: its size, its keys, and no file of it on the host", async () => {
    const command = await scene.begin("trap 'echo caught' INT; tty; stty size; echo $TERM; cat; cat; exit 5", { input: TERMINAL });
    await shows(command, "xterm-256color");
    expect(outputOf(command)).toMatch(/\/dev\/pts\/0\s+30 100\s/);
    // Once by the terminal, which shows every key, and once by the program that has to run when the next key comes.
    command.write("first\n");
    await shows(command, "first\r\nfirst");
    command.write("\u0003");
    await shows(command, "caught");
    command.write("second\n");
    await shows(command, "second\r\nsecond");
    command.closeInput();
    expect((await command.ended).end).toEqual({ type: "exited", exitCode: 5 });
    expect(await scene.intact()).toBe(true);
  });

  test.each([
    ["a pipe", { type: "pipe" }],
    ["a terminal", TERMINAL],
  ] as const)("ends with all its processes when it is killed: %s", async (_name, input) => {
    const command = await scene.begin("setsid sleep 14142 & sleep 14142 & echo begun; wait", { input });
    await shows(command, "begun");
    command.kill();
    expect((await command.ended).end).toEqual({ type: "aborted" });
    expect(processesWith("sleep\x0014142")).toEqual([]);
  });

  test("reaches nothing of the host by its terminal", async () => {
    const command = await scene.begin(`cat ${scene.secret}; ls /proc/${scene.victim}; ls /dev/pts`, { input: TERMINAL });
    const { output } = await command.ended;
    expect(output).not.toContain("canary");
    expect(output).toMatch(/No such file[^]*No such file[^]*0\s+ptmx/);
  });
});
