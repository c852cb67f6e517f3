import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AgentTool, AgentToolResult, Clock, CommandRequest, JsonObject, Logger, RunFacts, ToolSource } from "@factotum/agent-contract";
import { McpServers, type McpOptions, type ServerSettings } from "../src/index.ts";
import { memoryLogins } from "./memory-logins.ts";
import { plainRunner, type PlainRunner } from "@factotum/testing-product";

/** A clock whose short waits are real, and whose waits of 9 s and more end when the test says so. */
export interface TestClock extends Clock {
  /** Ends the waits of this length. */
  fire(delayMs: number): void;
  /** Lets monotonic time pass. */
  advance(ms: number): void;
}

export function testClock(): TestClock {
  const long = new Map<() => void, number>();
  let added = 0;
  return {
    now: () => Date.now(),
    monotonic: () => performance.now() + added,
    schedule(delayMs, callback) {
      if (delayMs >= 9_000) {
        long.set(callback, delayMs);
        return { [Symbol.dispose]: () => void long.delete(callback) };
      }
      const timer = setTimeout(callback, delayMs);
      return { [Symbol.dispose]: () => clearTimeout(timer) };
    },
    fire: (wanted) => {
      // A wait that a callback begins with the same length is not one of them.
      const due = [...long].filter(([, delayMs]) => delayMs === wanted);
      for (const [callback] of due) {
        long.delete(callback);
        callback();
      }
    },
    advance: (ms) => void (added += ms),
  };
}

/** Servers with a folder and a runner of their own. */
export interface Scene extends AsyncDisposable {
  readonly servers: McpServers;
  readonly runner: PlainRunner<CommandRequest, RunFacts>;
  readonly clock: TestClock;
  readonly folder: string;
  readonly logged: string[];
  readonly settings: (more?: object, env?: Readonly<Record<string, string>>) => ServerSettings;
  /** How often the raw server was started. */
  readonly starts: () => number;
  /** The methods that the raw server was asked. */
  readonly asked: () => readonly string[];
  /** The source of one server called `raw`, with its list. */
  readonly listed: (settings: ServerSettings) => Promise<ToolSource>;
}

export async function openScene(options: Partial<McpOptions> = {}): Promise<Scene> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "mcp-")));
  const runner = plainRunner<CommandRequest, RunFacts>();
  const clock = testClock();
  const logged: string[] = [];
  const log = (message: string, fields?: object): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const logger: Logger = { debug: log, info: log, warn: log, error: log, child: () => logger };
  const servers = new McpServers({
    runner,
    clock,
    logger,
    fetch,
    version: "1.0.0",
    folder: join(folder, "lists"),
    // eslint-disable-next-line typescript/require-await -- the port's shape
    readSecret: async (reference) => {
      if (typeof reference !== "string") throw new Error("there is no such secret");
      return reference;
    },
    logins: memoryLogins(),
    makeFolder: async (name) => {
      await mkdir(join(folder, name), { recursive: true });
      return join(folder, name);
    },
    hideSecrets: (text) => text.replaceAll("hunter2", "***"),
    ...options,
  });
  const [starts, calls] = [join(folder, "starts"), join(folder, "calls")];
  const linesOf = (file: string): readonly string[] => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []);
  return {
    servers,
    runner,
    clock,
    folder,
    logged,
    settings: (more = {}, env = {}) => ({
      command: process.execPath,
      args: [fileURLToPath(new URL("raw-server.ts", import.meta.url))],
      env: { STARTS: starts, CALLS: calls, ...env },
      timeoutMs: 60_000,
      trusted: false,
      roots: "none",
      sandbox: { mode: "inherit", network: "none", workspace: "ro" },
      ...more,
    }),
    starts: () => linesOf(starts).length,
    asked: () => linesOf(calls),
    listed: async (settings) => {
      const [source] = servers.sources({ raw: settings });
      if (source === undefined) throw new Error("no source");
      await source.prepare?.({ ...facts(folder), signal: new AbortController().signal });
      return source;
    },
    [Symbol.asyncDispose]: async () => {
      await servers.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function facts(workspace: string, more: Partial<RunFacts> = {}): RunFacts {
  return {
    runId: "run",
    kind: "user",
    agentId: "main",
    sessionKey: "agent:main:main",
    sessionId: "session",
    workspace,
    owner: true,
    timeZone: "UTC",
    ...more,
  };
}

/** Options of one call. */
interface Asked {
  readonly run?: Partial<RunFacts>;
  readonly signal?: AbortSignal;
  readonly onDelta?: (text: string) => void;
}

export async function callTool(
  source: ToolSource,
  name: string,
  given: JsonObject = {},
  { folder, run, signal, onDelta }: Asked & { readonly folder: string },
): Promise<AgentToolResult> {
  return toolOf(source, name).execute(
    { id: "call", name, arguments: given },
    { run: facts(folder, run), signal: signal ?? new AbortController().signal, tainted: false, onDelta: onDelta ?? (() => undefined) },
  );
}

export function toolOf({ tools }: ToolSource, name: string): AgentTool {
  const found = tools.find((tool) => tool.name === name);
  if (found === undefined) throw new Error(`${name} is not among ${tools.map((tool) => tool.name).join(", ")}`);
  return found;
}

export function textOf({ content }: AgentToolResult): string {
  return content.map((part) => (part.type === "text" ? part.text : `<${part.mimeType}>`)).join("\n");
}
