import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { findFreePort, waitUntilReady } from "./readiness.ts";
import type { Side } from "./side.ts";
import { MODEL_ID, TOOL_FILE } from "./wire.ts";

const PACKAGE = "openclaw";
const TOKEN = "bench-token";
const INSTALL_LIMIT_MS = 15 * 60_000;
/** It takes ten seconds on an idle machine, and many times that on a busy one. */
const READY_LIMIT_MS = 5 * 60_000;
/** Its status without a gateway takes a minute on an idle machine. */
const COMMAND_LIMIT_MS = 5 * 60_000;

/** The peer, installed for this run only. */
export interface PeerHome extends AsyncDisposable {
  readonly version: string;
  /** Starts its gateway; the caller disposes it. */
  start(): Promise<PeerSide>;
  /** Runs one command to completion, whatever its exit code; resolves with its wall time in milliseconds. */
  timeCommand(...args: readonly string[]): Promise<number>;
}

/** The peer's gateway, ready. */
export interface PeerSide extends Side, AsyncDisposable {
  readonly readyAfterMs: number;
}

/** Installs the peer from npm into a temporary folder and points it at the fake provider. Rejects with npm's error if that fails. */
export async function installPeer(providerUrl: string): Promise<PeerHome> {
  const folder = await mkdtemp(path.join(tmpdir(), "factotum-peer-"));
  const remove = async (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    await promisify(execFile)("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", "--loglevel=error", PACKAGE], {
      timeout: INSTALL_LIMIT_MS,
      maxBuffer: 16 * 1024 * 1024,
    });
    const packageFolder = path.join(folder, "node_modules", PACKAGE);
    const manifest = JSON.parse(await readFile(path.join(packageFolder, "package.json"), "utf8")) as {
      readonly version: string;
      readonly bin: string | Readonly<Record<string, string>>;
    };
    const bin = typeof manifest.bin === "string" ? manifest.bin : (manifest.bin[PACKAGE] ?? "");
    const entry = path.join(packageFolder, bin);
    const home = await createState(path.join(folder, "home"), entry, providerUrl);
    return {
      version: manifest.version,
      start: async () => startPeer(home),
      timeCommand: async (...args) => timeCommand(home, args),
      [Symbol.asyncDispose]: remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** An installed peer with its configuration. */
interface PeerState {
  readonly entry: string;
  readonly port: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

async function createState(home: string, entry: string, providerUrl: string): Promise<PeerState> {
  const port = await findFreePort();
  const config = path.join(home, "openclaw.json");
  await mkdir(path.join(home, "workspace"), { recursive: true });
  await writeFile(path.join(home, "workspace", TOOL_FILE), "One kettle.\n");
  await writeFile(config, JSON.stringify(peerConfig(home, port, providerUrl), undefined, 2));
  return { entry, port, env: { PATH: process.env["PATH"], HOME: home, OPENCLAW_STATE_DIR: home, OPENCLAW_CONFIG_PATH: config } };
}

async function timeCommand({ entry, env }: PeerState, args: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  await once(spawn(process.execPath, [entry, ...args], { env: { ...env }, stdio: "ignore", timeout: COMMAND_LIMIT_MS }), "close");
  return performance.now() - startedAt;
}

async function startPeer({ entry, port, env }: PeerState): Promise<PeerSide> {
  const child = spawn(process.execPath, [entry, "gateway", "run", "--port", String(port)], {
    env: { ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-4000)));
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`it ended with ${String(code)} before it was ready`);
  });
  try {
    const url = `http://127.0.0.1:${port}`;
    const readyAfterMs = await Promise.race([waitUntilReady(`${url}/readyz`, READY_LIMIT_MS), ended]);
    // From here on we end it.
    ended.catch(() => undefined);
    const headers = (session: string): Readonly<Record<string, string>> => ({
      authorization: `Bearer ${TOKEN}`,
      "x-openclaw-session-key": `agent:main:${session}`,
    });
    return { name: "the peer", url, pid: child.pid ?? -1, headers, model: "openclaw", readyAfterMs, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw new Error(`The peer did not start. It printed last:\n${output}`, { cause: error });
  }
}

function peerConfig(home: string, port: number, providerUrl: string): object {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const model = { id: MODEL_ID, name: MODEL_ID, reasoning: false, input: ["text"], cost, contextWindow: 200_000, maxTokens: 8192 };
  return {
    gateway: {
      mode: "local",
      port,
      bind: "loopback",
      auth: { mode: "token", token: TOKEN },
      http: { endpoints: { chatCompletions: { enabled: true } } },
    },
    models: {
      mode: "replace",
      providers: { bench: { baseUrl: providerUrl, apiKey: "bench", api: "anthropic-messages", models: [model] } },
    },
    agents: { defaults: { workspace: path.join(home, "workspace"), model: { primary: `bench/${MODEL_ID}` } } },
  };
}
