import { execFile } from "node:child_process";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { SandboxRunner } from "../index.ts";
import { FILE_ESCAPES } from "../../test/escapes/files.ts";
import { NETWORK_ESCAPES } from "../../test/escapes/network.ts";
import { PROCESS_ESCAPES } from "../../test/escapes/processes.ts";
import { RIGHT_ESCAPES } from "../../test/escapes/rights.ts";
import { CANARY, sandboxedRun, sandboxOver, specOf, startSandboxScene, type SandboxScene } from "../../test/sandbox-scene.ts";

const run = promisify(execFile);
const IMAGE = "localhost/factotum-test:2";
/** What the escapes use, on top of Debian's smallest system. */
const PACKAGES = ["bsdutils", "curl", "git", "procps", "python3"];
/** Settings of Podman for a test in a container itself: it may not raise limits, and its cgroups are of both versions. */
const NESTED = '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]\n[engine]\nruntime = "runc"\n';

/** Part of `pnpm test:slow`: Podman and debootstrap are installed from the distribution, and the image is a root made from its packages. */
describe.runIf(process.env["FACTOTUM_PODMAN"] !== undefined)("a command in a container of Podman", () => {
  let base: string;
  let scene: SandboxScene;
  /** The same with network. */
  let networked: SandboxRunner;
  beforeAll(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), "sandbox-podman-")));
    for (const program of ["podman", "runc", "debootstrap"])
      await run("/bin/sh", ["-c", `command -v ${program} >/dev/null || apt-get install -y --no-install-recommends ${program}`]);
    if (!(await succeeds("podman", "image", "exists", IMAGE))) {
      const root = join(base, "root");
      await run("debootstrap", ["--variant=minbase", `--include=${PACKAGES.join(",")}`, "stable", root], { maxBuffer: 1024 ** 3 });
      await run("/bin/sh", ["-c", `tar -C ${root} -c . | podman import - ${IMAGE}`]);
    }
    if (!(await succeeds("podman", "run", "--rm", "--network", "none", IMAGE, "true"))) await usePodmanOfContainer(base);
    const change = { backend: "podman", image: IMAGE } as const;
    scene = await startSandboxScene(undefined, change);
    const network = { hosts: () => [] };
    networked = sandboxOver(scene.host, scene.home, () => specOf(scene.home, scene.workspace, { ...change, network }));
    expect(await scene.sandbox.backend(change)).toMatchObject({ type: "ready" });
  }, 600_000);
  afterAll(async () => {
    vi.unstubAllEnvs();
    await scene[Symbol.asyncDispose]();
    await rm(base, { recursive: true, force: true });
  });

  const containers = async (): Promise<string> => (await run("podman", ["ps", "--all", "--quiet"])).stdout;

  test.each([...FILE_ESCAPES, ...PROCESS_ESCAPES, ...RIGHT_ESCAPES, ...NETWORK_ESCAPES])(
    "$name: not in the container, and what is like it works there",
    async (escape) => {
      const { attempt, allowed } = { ...escape, ...escape.inContainer };
      const [attempted, works] = [await scene.inside(attempt(scene)), await scene.inside(allowed(scene))];
      expect(attempted.output).not.toContain("ESCAPED");
      expect(attempted.output).not.toContain(CANARY);
      expect(works.output).toContain("works");
      expect(await scene.intact()).toBe(true);
    },
    60_000,
  );

  test("sees its workspace, no network, and no process of the host; its files stay", async () => {
    const { output } = await scene.inside(
      "echo mine >note; tail -n +3 /proc/net/dev | grep -vc lo:; ls -d /proc/[0-9]* | wc -l; touch /x 2>/dev/null || echo closed",
    );
    expect(output).toMatch(/^0\n\d\nclosed\n$/);
    expect(await readFile(join(scene.workspace, "note"), "utf8")).toBe("mine\n");
    expect(await containers()).toBe("");
  });

  test("reaches the socket of its proxy if it has network, by a forwarder in the host's Node.js", async () => {
    const connects = `/usr/bin/python3 -c 'import socket; print(socket.create_connection(("127.0.0.1", 3128)).recv(1) == b"")'`;
    const { output, end } = await networked.run(
      {
        command: { type: "shell", text: `${connects}; echo $http_proxy` },
        cwd: scene.workspace,
        env: {},
        timeoutMs: 60_000,
        maxOutputBytes: 1_000,
      },
      { run: sandboxedRun(scene.workspace), signal: new AbortController().signal, onOutput: () => undefined },
    );
    expect({ output, end }).toEqual({ end: { type: "exited", exitCode: 0 }, output: "True\nhttp://factotum:token@127.0.0.1:3128\n" });
  });

  test("is removed when it takes too long", async () => {
    expect((await scene.inside("sleep 1000", { timeoutMs: 3_000 })).end).toEqual({ type: "timed-out" });
    expect(await containers()).toBe("");
  });
});

async function succeeds(program: string, ...args: readonly string[]): Promise<boolean> {
  return run(program, args).then(
    () => true,
    () => false,
  );
}

/** Puts a `podman` with these settings in front of the PATH. */
async function usePodmanOfContainer(folder: string): Promise<void> {
  const settings = join(folder, "containers.conf");
  await writeFile(settings, NESTED);
  const { stdout } = await run("/bin/sh", ["-c", "command -v podman"]);
  await writeFile(join(folder, "podman"), `#!/bin/sh\nCONTAINERS_CONF=${settings} exec ${stdout.trim()} "$@"\n`, { mode: 0o755 });
  vi.stubEnv("PATH", `${folder}${delimiter}${process.env["PATH"] ?? ""}`);
}
