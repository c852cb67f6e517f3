import { execFile } from "node:child_process";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sandboxedRun, sandboxOver, runnerOptions, specOf } from "../../test/sandbox-scene.ts";
import { createHostRunner, type HostRunner, type SandboxRunner } from "../index.ts";

const run = promisify(execFile);
const IMAGE = "localhost/factotum-test:1";

/** Part of `pnpm test:slow`: Podman and debootstrap are installed from the distribution, and the image is a root made from its packages. */
describe.runIf(process.env["FACTOTUM_PODMAN"] !== undefined)("a command in a container of Podman", () => {
  let base: string;
  let host: HostRunner;
  let sandbox: SandboxRunner;
  beforeAll(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), "sandbox-podman-")));
    const install = "command -v podman debootstrap >/dev/null || apt-get install -y --no-install-recommends podman crun debootstrap";
    await run("/bin/sh", ["-c", install]);
    const exists = await run("podman", ["image", "exists", IMAGE]).then(
      () => true,
      () => false,
    );
    if (!exists) {
      await run("debootstrap", ["--variant=minbase", "stable", join(base, "root")], { maxBuffer: 1024 ** 3 });
      await run("/bin/sh", ["-c", `tar -C ${join(base, "root")} -c . | podman import - ${IMAGE}`]);
    }
    host = createHostRunner(runnerOptions(base));
    sandbox = sandboxOver(host, base, () => specOf(join(base, "home"), base, { backend: "podman", image: IMAGE, readOnly: [] }));
  }, 600_000);
  afterAll(async () => {
    await host.close();
    await rm(base, { recursive: true, force: true });
  });

  const inside = async (text: string, timeoutMs = 60_000): Promise<{ readonly output: string; readonly end: object }> =>
    sandbox.run(
      { command: { type: "shell", text }, cwd: base, env: {}, timeoutMs, maxOutputBytes: 10_000 },
      { run: sandboxedRun(base), signal: new AbortController().signal, onOutput: () => undefined },
    );
  const containers = async (): Promise<string> => (await run("podman", ["ps", "--all", "--quiet"])).stdout;

  test("sees its workspace, no network, and no process of the host; its files stay", async () => {
    expect(await sandbox.backend({ backend: "podman", image: IMAGE })).toMatchObject({ type: "ready" });
    const { output } = await inside(
      "echo mine >note; tail -n +3 /proc/net/dev | grep -vc lo:; ls -d /proc/[0-9]* | wc -l; touch /x || echo closed",
    );
    expect(output).toMatch(/^0\n\d\n[^]*closed\n$/);
    expect(await readFile(join(base, "note"), "utf8")).toBe("mine\n");
    expect(await containers()).toBe("");
  });

  test("is removed when it takes too long", async () => {
    expect((await inside("sleep 1000", 3_000)).end).toEqual({ type: "timed-out" });
    expect(await containers()).toBe("");
  });
});
