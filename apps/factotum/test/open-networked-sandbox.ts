import { randomBytes, randomUUID } from "node:crypto";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandOptions, CommandRequest, Logger, RunFacts } from "@factotum/agent-contract";
import { createHostRunner, createSandboxRunner, type HostRunner, type SandboxRunner } from "@factotum/sandbox";
import { createOpenCommandProxy } from "../src/compose/command-proxy.ts";
import { systemClock } from "../src/runtime/system-clock.ts";

/** Bubblewrap with the product's proxies, over a folder of its own. */
export interface NetworkedSandbox extends AsyncDisposable {
  readonly base: string;
  /** Writable in the sandbox. */
  readonly workspace: string;
  readonly host: HostRunner;
  readonly sandbox: SandboxRunner;
  /** A sandbox with this program as Node.js. */
  readonly withNode: (node: string) => SandboxRunner;
  /** Shell text that runs in the workspace. */
  readonly request: (text: string, env?: Readonly<Record<string, string>>) => CommandRequest;
  /** A guest's run. */
  readonly options: () => CommandOptions & { readonly run: RunFacts };
}

/** The list of hosts, which is asked at each use, what names resolve to, and what is logged. `127.0.0.2` counts as public. */
export interface NetworkedSandboxOptions {
  readonly hosts: () => readonly string[];
  readonly lookup: (name: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;
  readonly onWarning?: (fields: Readonly<Record<string, unknown>>) => void;
}

/** Opens it. Bubblewrap has to be installed. */
export async function openNetworkedSandbox({ hosts, lookup, onWarning }: NetworkedSandboxOptions): Promise<NetworkedSandbox> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "networked-sandbox-")));
  const workspace = join(base, "workspace");
  await mkdir(workspace);
  const random = { uuid: randomUUID, bytes: (count: number) => randomBytes(count) };
  const silent = (): void => undefined;
  const warn: Logger["warn"] = (_message, fields = {}) => onWarning?.(fields);
  const logger: Logger = { debug: silent, info: silent, error: silent, warn, child: () => logger };
  const host = createHostRunner({
    clock: systemClock,
    random,
    logger,
    recordFolder: join(base, "state", "children"),
    baseEnv: { PATH: process.env["PATH"] },
    limits: () => ({ maxProcesses: 256, maxMemoryBytes: 1024 ** 3 }),
  });
  const withNode = (node: string): SandboxRunner =>
    createSandboxRunner({
      host,
      clock: systemClock,
      random,
      baseEnv: { PATH: process.env["PATH"] },
      platform: process.platform,
      architecture: process.arch,
      folder: join(base, "state", "sandbox"),
      userHome: join(base, "user"),
      userId: process.getuid?.() ?? 0,
      groupId: process.getgid?.() ?? 0,
      label: "factotum-test=network",
      ownsContainers: false,
      network: { openProxy: createOpenCommandProxy({ logger, random }, { lookup, isOpen: (address) => address === "127.0.0.2" }), node },
      sandboxOf: async () => ({
        backend: "bubblewrap",
        image: "",
        workspace: { path: workspace, writable: true },
        readOnly: [],
        hidden: [join(base, "state")],
        network: { hosts },
        maxTasks: 1_000,
        maxMemoryBytes: 256 * 1024 ** 2,
      }),
    });
  const facts = { runId: "r", kind: "user", agentId: "main", sessionKey: "agent:main:main", sessionId: "s", timeZone: "UTC" } as const;
  const run = (): RunFacts => ({ ...facts, workspace, owner: false, sandbox: { workspaceAccess: "none", shared: true, network: hosts() } });
  return {
    base,
    workspace,
    host,
    sandbox: withNode(process.execPath),
    withNode,
    request: (text, env = {}) => ({ command: { type: "shell", text }, cwd: workspace, env, timeoutMs: 30_000, maxOutputBytes: 10_000 }),
    options: () => ({ run: run(), signal: new AbortController().signal, onOutput: () => undefined }),
    [Symbol.asyncDispose]: async () => {
      await host.close();
      await rm(base, { recursive: true, force: true });
    },
  };
}
