import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, mkdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { AgentTool, AgentToolResult, Clock, CommandRequest, JsonObject, Logger, RunFacts, ToolSource } from "@factotum/agent-contract";
import { LspServers, type LspLimits, type LspOptions, type LspRunFiles, type ServerSettings } from "../src/index.ts";
import { plainRunner, type PlainRunner } from "@factotum/testing-product";

/** A clock whose short waits are real, and whose waits of 5 s and more end when the test says so. */
export interface TestClock extends Clock {
  /** Ends the waits of this length. */
  fire(delayMs: number): void;
  /** Lets monotonic time pass. */
  advance(ms: number): void;
}

function testClock(): TestClock {
  const long = new Map<() => void, number>();
  let added = 0;
  return {
    now: () => Date.now(),
    monotonic: () => performance.now() + added,
    schedule(delayMs, callback) {
      if (delayMs >= 5_000) {
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

export const LIMITS: LspLimits = { idleMs: 600_000, maxServers: 4, workspacePrograms: false, changeDiagnostics: true };

/** Servers with a workspace and a runner of their own. */
export interface Scene extends AsyncDisposable {
  readonly servers: LspServers;
  readonly runner: PlainRunner<CommandRequest, RunFacts>;
  readonly clock: TestClock;
  readonly workspace: string;
  readonly folder: string;
  readonly logged: string[];
  /** Settings of the fake server in these modes, separated by commas. */
  readonly fake: (modes?: string, more?: Partial<ServerSettings>) => ServerSettings;
  /** What the fake server was asked. */
  readonly calls: () => readonly string[];
  readonly write: (name: string, text: string) => Promise<string>;
  readonly read: (name: string) => Promise<string>;
  /** The source of one server, with what it can do. */
  readonly source: (settings: ServerSettings, limits?: Partial<LspLimits>) => Promise<ToolSource>;
  /** Writes a file as the tools do, and resolves with what the check says. */
  readonly change: (name: string, text: string, run?: Partial<RunFacts>) => Promise<string | undefined>;
}

export async function openScene(options: Partial<LspOptions> = {}): Promise<Scene> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "lsp-")));
  const workspace = join(folder, "workspace");
  await mkdir(workspace);
  const runner = plainRunner<CommandRequest, RunFacts>();
  const clock = testClock();
  const logged: string[] = [];
  const log = (message: string, fields?: object): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const logger: Logger = { debug: log, info: log, warn: log, error: log, child: () => logger };
  const servers = new LspServers({
    runner,
    clock,
    logger,
    version: "1.0.0",
    folder: join(folder, "lists"),
    files: { forRun: async () => Promise.resolve(runFiles(workspace)) },
    // eslint-disable-next-line typescript/require-await -- the port's shape
    readSecret: async (reference) => {
      if (typeof reference !== "string") throw new Error("there is no such secret");
      return reference;
    },
    hideSecrets: (text) => text.replaceAll("hunter2", "***"),
    searchPath: process.env["PATH"] ?? "",
    ...options,
  });
  const calls = join(folder, "calls");
  return {
    servers,
    runner,
    clock,
    workspace,
    folder,
    logged,
    fake: (modes = "", more = {}) => ({
      programs: [{ command: process.execPath, args: [fileURLToPath(new URL("fake-server.ts", import.meta.url))] }],
      isDetected: false,
      env: { MODES: modes, CALLS: calls },
      languages: ["fake"],
      extensions: { ".fake": "fake" },
      rootMarkers: ["root.fake-project"],
      settings: {},
      sandbox: { mode: "inherit", network: "none", workspace: "ro" },
      ...more,
    }),
    calls: () => (existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : []),
    write: async (name, text) => {
      const path = join(workspace, name);
      await mkdir(join(path, ".."), { recursive: true });
      await writeFile(path, text);
      return path;
    },
    read: async (name) => readFile(join(workspace, name), "utf8"),
    source: async (settings, limits = {}) => {
      const [source] = servers.sources({ fake: settings }, { ...LIMITS, ...limits });
      if (source === undefined) throw new Error("no source");
      await source.prepare?.({ ...facts(workspace), signal: new AbortController().signal });
      return source;
    },
    change: async (name, text, run = {}) => {
      const path = join(workspace, name);
      const before = existsSync(path) ? [{ path, shown: name, text: readFileSync(path, "utf8") }] : [];
      using check = servers.changes.begin(before, facts(workspace, run));
      await writeFile(path, text);
      return await check.introduced([{ path, shown: name, text }], { signal: new AbortController().signal });
    },
    [Symbol.asyncDispose]: async () => {
      await servers.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function runFiles(workspace: string): LspRunFiles {
  const show = (path: string): string => (relative(workspace, path).startsWith("..") ? path : relative(workspace, path));
  return {
    show,
    read: async (path) => {
      const real = await realpath(isAbsolute(path) ? path : join(workspace, path)).catch(() => {
        throw new Error(`${path} does not exist.`);
      });
      if (!real.startsWith(workspace)) throw new Error(`${path} is outside.`);
      const text = await readFile(real, "utf8");
      return { path: real, shown: show(real), text, untrusted: text.includes("STRANGER"), version: (await stat(real)).mtimeMs };
    },
    change: async (changes) => {
      for (const { file, text } of changes) await writeFile(file.path, text);
    },
    findInstructions: async (paths) => Promise.resolve(paths.find((path) => path === "AGENTS.fake")),
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

/** Calls `lsp_<operation>_<language>`. */
export async function callTool(
  source: ToolSource,
  name: string,
  given: JsonObject,
  { workspace, run, signal }: { readonly workspace: string; readonly run?: Partial<RunFacts>; readonly signal?: AbortSignal },
): Promise<AgentToolResult> {
  return toolOf(source, name).execute(
    { id: "call", name, arguments: given },
    { run: facts(workspace, run), signal: signal ?? new AbortController().signal, tainted: false, onDelta: () => undefined },
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
