import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EVERYDAY_COMMANDS } from "../../test/escapes/everyday-commands.ts";
import { FILE_ESCAPES } from "../../test/escapes/files.ts";
import { NETWORK_ESCAPES } from "../../test/escapes/network.ts";
import { PROCESS_ESCAPES } from "../../test/escapes/processes.ts";
import { RIGHT_ESCAPES } from "../../test/escapes/rights.ts";
import { CANARY, startSandboxScene, type SandboxScene } from "../../test/sandbox-scene.ts";

/** Bubblewrap has to be installed: nothing here is skipped without it. */
describe.runIf(process.platform === "linux")("a command in bubblewrap", () => {
  let scene: SandboxScene;
  beforeAll(async () => {
    scene = await startSandboxScene();
    expect(await scene.sandbox.backend({ backend: "bubblewrap", image: "" })).toMatchObject({ type: "ready" });
  });
  afterAll(async () => scene[Symbol.asyncDispose]());

  test.each([...FILE_ESCAPES, ...PROCESS_ESCAPES, ...RIGHT_ESCAPES, ...NETWORK_ESCAPES])(
    "$name: not in the sandbox, and what is like it works there",
    async ({ attempt, allowed, onHost }) => {
      const triesHost = onHost === "everyone" || (onHost === "root" && process.getuid?.() === 0);
      const [attempted, works] = await Promise.all([scene.inside(attempt(scene)), scene.inside(allowed(scene))]);
      // In the same folder, so not at the same time.
      const outside = triesHost ? await scene.outside(attempt(scene)) : undefined;
      expect(attempted.output).not.toContain("ESCAPED");
      expect(attempted.output).not.toContain(CANARY);
      expect(works.output).toContain("works");
      expect(outside?.output ?? "ESCAPED").toContain("ESCAPED");
      expect(await scene.intact()).toBe(true);
    },
  );

  test.each(EVERYDAY_COMMANDS)("%s works", async (_name, command) => {
    expect((await scene.inside(command)).output).toContain("works");
  });

  test("runs a program without a shell, with its arguments as they are", async () => {
    const command = { type: "argv", file: "printf", args: ["%s|", "a b", "'; exit 3", "$HOME"] } as const;
    expect(await scene.inside("", { command })).toMatchObject({ output: "a b|'; exit 3|$HOME|", end: { type: "exited", exitCode: 0 } });
  });

  test("keeps exit codes, output limits, time limits and variables", async () => {
    expect((await scene.inside("exit 7")).end).toEqual({ type: "exited", exitCode: 7 });
    expect((await scene.inside(`echo "$GIVEN"`, { env: { GIVEN: "it's $5" } })).output).toBe("it's $5\n");
    expect((await scene.inside("sleep 1000", { timeoutMs: 300 })).end).toEqual({ type: "timed-out" });
    const long = await scene.inside("yes | head -c 100000", { maxOutputBytes: 2_000 });
    expect(long.outputBytes).toBe(100_000);
    expect(long.output.length).toBeLessThan(2_500);
  });

  test("shows nothing of the gateway's environment in any process", async () => {
    const shown = await scene.inside("cat /proc/[0-9]*/environ | tr '\\0' '\\n'; echo read");
    expect(shown.output).toMatch(/^FACTOTUM_CHILD=[0-9a-f-]{36}$/m);
    expect(shown.output).toMatch(/^read$/m);
    expect(shown.output).not.toContain("FACTOTUM_HOME");
    const first = await scene.inside("tr '\\0' '\\n' </proc/1/environ");
    expect(first.output).toMatch(/^FACTOTUM_CHILD=[0-9a-f-]{36}\n$/);
  });

  test("keeps the files of its workspace alone", async () => {
    await scene.inside("echo a >kept; echo b >/tmp/lost; echo c >~/lost");
    expect((await scene.inside("cat kept /tmp/lost ~/lost 2>/dev/null")).output).toBe("a\n");
  });
});
