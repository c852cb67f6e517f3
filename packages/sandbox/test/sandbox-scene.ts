import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandRequest, CommandResult, RunFacts, RunningCommand } from "@factotum/agent-contract";
import {
  createHostRunner,
  createSandboxRunner,
  type HostRunner,
  type OpenCommandProxy,
  type SandboxRunner,
  type SandboxSpec,
} from "../src/index.ts";
import { realClock } from "./real-clock.ts";

/** A text that no sandboxed command may see. */
export const CANARY = "canary-0123456789";

/** A state directory with secrets, a workspace in it, a process and servers of the host, and the two ways to run a command. */
export interface SandboxScene extends AsyncDisposable {
  readonly home: string;
  readonly secret: string;
  readonly config: string;
  readonly workspace: string;
  /** A file of a skill: readable in the sandbox. */
  readonly skill: string;
  /** A file in the host's folder for temporary files. */
  readonly temporary: string;
  /** A process of the host with the canary in its environment. */
  readonly victim: number;
  readonly tcpPort: number;
  readonly udpPort: number;
  readonly abstractName: string;
  readonly socket: string;
  readonly host: HostRunner;
  readonly sandbox: SandboxRunner;
  /** Runs shell text in the sandbox. */
  readonly inside: (text: string, request?: Partial<CommandRequest>) => Promise<CommandResult>;
  /** Starts shell text in the sandbox. */
  readonly begin: (text: string, request?: Partial<CommandRequest>) => Promise<RunningCommand>;
  /** Runs shell text on the host, in the same folder. */
  readonly outside: (text: string) => Promise<CommandResult>;
  /** What must hold after every attempt: the victim runs, secret and skill are as they were, and there is no new file next to the workspace. */
  readonly intact: () => Promise<boolean>;
}

/** The facts of a sandboxed run. */
export function sandboxedRun(workspace: string): RunFacts {
  return {
    runId: "run",
    kind: "user",
    agentId: "main",
    sessionKey: "agent:main:main",
    sessionId: "session",
    workspace,
    owner: false,
    sandbox: {
      workspaceAccess: "none",
      shared: true,
    },
    timeZone: "UTC",
  };
}

/** The options of a test's runner. */
export function runnerOptions(home: string, limits = { maxProcesses: 256, maxMemoryBytes: 1024 ** 3 }) {
  const records = join(home, "state", "children");
  const warn = (message: string): void => void process.stderr.write(`${message}\n`);
  const baseEnv = { PATH: process.env["PATH"], HOME: home, LANG: "C.UTF-8", FACTOTUM_HOME: home };
  return {
    clock: realClock,
    random: { uuid: randomUUID },
    logger: { warn },
    recordFolder: records,
    baseEnv,
    limits: () => limits,
    killGraceMs: 100,
  };
}

/** A sandbox over a runner of the host. */
export function sandboxOver(host: HostRunner, home: string, spec: (run: RunFacts) => SandboxSpec | undefined): SandboxRunner {
  return createSandboxRunner({
    host,
    clock: realClock,
    random: { uuid: randomUUID },
    baseEnv: {
      PATH: process.env["PATH"],
      LANG: "C.UTF-8",
    },
    platform: process.platform,
    architecture: process.arch,
    folder: join(home, "state", "sandbox"),
    userHome: join(home, "..", "user"),
    userId: process.getuid?.() ?? 0,
    groupId: process.getgid?.() ?? 0,
    label: `factotum-test=${process.pid}`,
    ownsContainers: false,
    network: { openProxy: openClosedProxy, node: process.execPath },
    sandboxOf: async (run) => spec(run),
  });
}

/** A proxy that lets nothing through: it closes every connection. */
const openClosedProxy: OpenCommandProxy = async (_network, { socketPath }) => {
  const server = createServer((connection) => connection.destroy());
  server.listen(socketPath === undefined ? { port: 0, host: "127.0.0.1" } : { path: socketPath });
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    token: "token",
    refused: () => [],
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, "close");
    },
  };
};

/** The specification of a test: the workspace is writable, the state directory hidden. */
export function specOf(home: string, workspace: string, change: Partial<SandboxSpec> = {}): SandboxSpec {
  return {
    backend: "bubblewrap",
    image: "none",
    workspace: {
      path: workspace,
      writable: true,
    },
    readOnly: [join(home, "skills")],
    hidden: [home],
    maxTasks: 2048,
    maxMemoryBytes: 256 * 1024 ** 2,
    ...change,
  };
}

/** Starts it, with these limits of all commands, and the sandbox changed like this. */
export async function startSandboxScene(
  limits?: {
    readonly maxProcesses: number;
    readonly maxMemoryBytes: number;
  },
  change: Partial<SandboxSpec> = {},
): Promise<SandboxScene> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "sandbox-scene-")));
  const home = join(base, "home");
  const workspace = join(home, "sandboxes", "session-0");
  const [secret, config, skill, socket] = [
    join(home, "state", "secret.txt"),
    join(home, "factotum.json5"),
    join(home, "skills", "one", "SKILL.md"),
    join(home, "state", "gateway.sock"),
  ];
  const temporary = join(base, "temporary.txt");
  for (const folder of [workspace, join(home, "state"), join(home, "skills", "one")]) await mkdir(folder, { recursive: true });
  for (const file of [secret, config, temporary]) await writeFile(file, CANARY);
  await writeFile(skill, "skill-text");
  const victim = spawn("sleep", ["100000"], { env: { PATH: process.env["PATH"], SECRET: CANARY }, stdio: "ignore", detached: true });
  await once(victim, "spawn");
  const abstractName = `factotum-${randomUUID()}`;
  const tcp = await listen({ port: 0, host: "127.0.0.1" });
  const servers = [tcp, await listen({ path: socket }), await listen({ path: `\0${abstractName}` })];
  const udp = await listenToDatagrams();
  const host = createHostRunner(runnerOptions(home, limits));
  const sandbox = sandboxOver(host, home, (run) => (run.sandbox === undefined ? undefined : specOf(home, workspace, change)));
  const run = sandboxedRun(workspace);
  const options = (facts: RunFacts) => ({ run: facts, signal: new AbortController().signal, onOutput: () => undefined });
  const request = (text: string): CommandRequest => ({
    command: {
      type: "shell",
      text,
    },
    cwd: workspace,
    env: {},
    timeoutMs: 6e4,
    maxOutputBytes: 2e4,
  });
  const address = tcp.address();
  return {
    home,
    secret,
    config,
    workspace,
    skill,
    temporary,
    socket,
    abstractName,
    host,
    sandbox,
    victim: victim.pid ?? 0,
    tcpPort: typeof address === "object" && address !== null ? address.port : 0,
    udpPort: udp.address().port,
    inside: async (text, change = {}) => sandbox.run({ ...request(text), ...change }, options(run)),
    begin: async (text, change = {}) => sandbox.start({ ...request(text), ...change }, options(run)),
    outside: async (text) => {
      const { sandbox: _, ...facts } = run;
      return sandbox.run(request(text), options(facts));
    },
    intact: async () => {
      const around = [...(await readdir(join(home, "state"))), ...(await readdir(join(home, "sandboxes"))), ...(await readdir(home))];
      const kept = [await readFile(secret, "utf8"), await readFile(skill, "utf8")].join();
      return isRunning(victim) && kept === `${CANARY},skill-text` && !around.includes("planted");
    },
    [Symbol.asyncDispose]: async () => {
      await host.close();
      victim.kill("SIGKILL");
      for (const server of servers) server.close();
      udp.close();
      await rm(base, {
        recursive: true,
        force: true,
      });
    },
  };
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

/** Greets every connection. */
async function listen(place: { readonly port: number; readonly host: string } | { readonly path: string }): Promise<Server> {
  const server = createServer((connection) => connection.on("error", () => connection.destroy()).end(`${CANARY}\n`));
  server.listen(place).unref();
  await once(server, "listening");
  return server;
}

/** Answers every datagram. */
async function listenToDatagrams(): Promise<Socket> {
  const server = createSocket("udp4");
  server.on("message", (_, { port, address }) => server.send(CANARY, port, address));
  server.bind(0, "127.0.0.1").unref();
  await once(server, "listening");
  return server;
}
