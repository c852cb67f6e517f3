import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { processesWith } from "../../test/processes-with.ts";
import { runnerOptions } from "../../test/sandbox-scene.ts";
import { createHostRunner, removeProxySockets } from "../index.ts";

const KILLS = Number(process.env["FACTOTUM_SANDBOX_KILLS"] ?? 50);
const AT_ONCE = 5;
const ENTRY = fileURLToPath(new URL("../../test/run-sandboxed.ts", import.meta.url));

/** Starts a gateway that runs one command, and kills it so long after the start of that command. */
async function killGateway(index: number): Promise<{ readonly home: string; readonly base: string }> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "sandbox-kill-")));
  const [home, workspace] = [join(base, "home"), join(base, "workspace")];
  for (const folder of [home, workspace]) await mkdir(folder);
  const text = `sleep 27182${index} & echo begun; wait`;
  const gateway = spawn(process.execPath, ["--conditions=factotum-source", ENTRY, home, workspace, text], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let failure = "";
  gateway.stderr.setEncoding("utf8").on("data", (piece: string) => (failure += piece));
  const ended = once(gateway, "exit");
  // A pipe may hand over both words at once.
  let shown = "";
  gateway.stdout.setEncoding("utf8").on("data", (piece: string) => (shown += piece));
  const hasShown = async (word: string): Promise<void> => {
    while (!shown.includes(word) && gateway.exitCode === null && gateway.signalCode === null)
      await Promise.race([once(gateway.stdout, "data"), ended]);
  };
  await hasShown("starting");
  expect(shown, failure).toMatch(/^starting/);
  // Every second kill hits the start of the sandbox, the others a command that runs.
  if (index % 2 === 0) await hasShown("begun");
  else await wait(index % 23);
  gateway.kill("SIGKILL");
  await ended;
  return { home, base };
}

test.runIf(process.platform === "linux")(
  `after ${KILLS} kills of the gateway and its next start no process, file or mount of a sandbox is left`,
  async () => {
    const mountsBefore = readFileSync("/proc/self/mountinfo", "utf8");
    for (let from = 0; from < KILLS; from += AT_ONCE) {
      const indices = Array.from({ length: Math.min(AT_ONCE, KILLS - from) }, (_, offset) => from + offset);
      await Promise.all(
        indices.map(async (index) => {
          const { home, base } = await killGateway(index);
          const next = createHostRunner(runnerOptions(home));
          expect((await next.endOrphans()).survivors).toBe(0);
          await next.close();
          // The next start of a gateway does the same.
          const sockets = await removeProxySockets(join(home, "state", "sandbox"));
          if (index % 2 === 0) expect(sockets).toBe(1);
          await expect.poll(() => processesWith(`sleep\x0027182${index}\0`)).toEqual([]);
          await expect.poll(() => processesWith(`${home}/state/sandbox/proxy-`)).toEqual([]);
          expect(await readdir(join(home, "state", "children"))).toEqual([]);
          expect((await readdir(join(home, "state", "sandbox"))).toSorted()).toEqual([
            "group",
            "hosts",
            "nsswitch.conf",
            "passwd",
            "seccomp.bpf",
          ]);
          expect(await readdir(join(base, "workspace"))).toEqual([]);
          await rm(base, { recursive: true });
        }),
      );
    }
    expect(processesWith("bwrap\0--unshare-user").filter((id) => processesWith("27182").includes(id))).toEqual([]);
    expect(readFileSync("/proc/self/mountinfo", "utf8")).toBe(mountsBefore);
  },
  600_000,
);
