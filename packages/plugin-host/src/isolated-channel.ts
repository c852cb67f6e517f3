import { dirname } from "node:path";
import type { CommandResult, CommandRunner, RunFacts, RunningCommand } from "@factotum/agent-contract";
import { PLUGIN_LIMITS } from "@factotum/plugin";
import { parseFromPlugin, type FromPlugin, type ToPlugin } from "./child/messages.ts";
import { dependencyFolders } from "./dependency-folders.ts";
import type { InstalledPlugin } from "./installed-plugin.ts";
import type { PluginChannel } from "./plugin-channel.ts";

const READ_BYTES = 256 * 1024;
/** Characters of one line, which is one message. */
const MAX_LINE_CHARS = 2 * PLUGIN_LIMITS.answerChars;
/** Lines that are no messages: text that the plugin writes to its output itself. */
const MAX_NOISE_CHARS = 1_000_000;
/** What it wrote last that is no message, for its owner. */
const MAX_SAID_CHARS = 1_000;
/** Megabytes of its heap. Buffers are outside of it, and count for the limit of the runner. */
const HEAP_MB = 128;

/** What the permissions of Node.js 24 leave open: SQLite opens any file, and a signal opens the debugger to every process of the account. */
const FENCE = ["--no-experimental-sqlite", "--disable-sigusr1"];

/** The program of a plugin's process. */
export interface IsolatedProgram {
  readonly runner: CommandRunner;
  readonly node: string;
  readonly program: string;
  /** Further folders that it reads; real paths. */
  readonly workspaces: readonly string[];
  /** It may start programs, which the permissions of Node.js do not hold. */
  readonly mayRun: boolean;
}

/** Starts the process of a plugin: without the gateway's environment, reading its package, the packages that this depends on and workspaces, and writing nothing. */
export async function startIsolated(plugin: InstalledPlugin, options: IsolatedProgram): Promise<PluginChannel> {
  const { runner, node, program, workspaces, mayRun } = options;
  const readable = [dirname(program), ...(await dependencyFolders(plugin.folder)), ...workspaces];
  const command = await runner.start(
    {
      command: {
        type: "argv",
        file: node,
        args: [
          "--permission",
          ...readable.map((folder) => `--allow-fs-read=${folder}`),
          ...(mayRun ? ["--allow-child-process"] : []),
          ...FENCE,
          `--max-old-space-size=${HEAP_MB}`,
          "--no-warnings",
          program,
          String(PLUGIN_LIMITS.answerChars),
          String(PLUGIN_LIMITS.logLines),
        ],
      },
      cwd: plugin.folder,
      env: {},
      input: { type: "pipe" },
      timeoutMs: 0,
      maxOutputBytes: 0,
      tainted: true,
    },
    { run: runOf(plugin), signal: new AbortController().signal, onOutput: () => undefined },
  );
  return new IsolatedChannel(command);
}

/** The pseudo run of a plugin's process: names its folder to the sandbox. */
function runOf({ id, folder }: InstalledPlugin): RunFacts {
  const names = { runId: `plugin:${id}`, agentId: "", sessionKey: "", sessionId: "plugin" };
  return { ...names, kind: "user", workspace: folder, owner: true, timeZone: "UTC", sandbox: { workspaceAccess: "ro", shared: true } };
}

class IsolatedChannel implements PluginChannel {
  onMessage: (message: FromPlugin) => void = () => undefined;
  readonly ended: Promise<string>;
  readonly #command: RunningCommand;
  #why: string | undefined;
  #said = "";
  #noiseChars = 0;
  #isOutOfMemory = false;

  constructor(command: RunningCommand) {
    this.#command = command;
    this.ended = this.#follow();
  }

  send(message: ToPlugin): "sent" | "full" {
    if (this.#why !== undefined) return "sent";
    return this.#command.write(`${JSON.stringify(message)}\n`) === "full" ? "full" : "sent";
  }

  end(why: string): void {
    this.#why ??= why;
    this.#command.kill();
  }

  /** Reads lines until the process has ended. */
  async #follow(): Promise<string> {
    const { output } = this.#command;
    const { signal } = new AbortController();
    let offset = 0;
    let line = "";
    do {
      for (let part = output.read(offset, READ_BYTES); part.text !== ""; part = output.read(offset, READ_BYTES)) {
        if (part.offset !== offset) this.end("it wrote faster than it could be read");
        offset = part.next;
        if (this.#why !== undefined) continue;
        const pieces = `${line}${part.text}`.split("\n");
        line = pieces.pop() ?? "";
        for (const piece of pieces) this.#take(piece);
        if (line.length > MAX_LINE_CHARS) this.end(`it wrote a line of more than ${MAX_LINE_CHARS} characters`);
      }
    } while (await output.changed(offset, { signal }));
    if (this.#why === undefined && line.length <= MAX_SAID_CHARS) this.#take(line);
    const result = await this.#command.ended;
    return this.#why ?? (this.#isOutOfMemory ? `it used more than ${HEAP_MB} MB of memory and ended` : reasonOf(result, this.#said.trim()));
  }

  #take(line: string): void {
    if (line === "" || this.#why !== undefined) return;
    const message = line.length <= MAX_LINE_CHARS ? parseFromPlugin(parseJson(line)) : undefined;
    if (message !== undefined) return this.onMessage(message);
    this.#said = `${this.#said}${line}\n`.slice(-MAX_SAID_CHARS);
    this.#noiseChars += line.length;
    this.#isOutOfMemory ||= line.includes("JavaScript heap out of memory");
    if (this.#noiseChars > MAX_NOISE_CHARS) this.end("it floods the gateway with output");
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function reasonOf({ end }: CommandResult, said: string): string {
  const last = said.split("\n").at(-1)?.slice(0, 200) ?? "";
  const added = last === "" ? "" : ` (${last})`;
  switch (end.type) {
    case "over-limit":
      return `it used more ${end.limit} than it may and was ended`;
    case "not-started":
      return `its process could not be started: ${end.message.replace(/\.$/, "")}`;
    case "exited":
      return `its process ended with the code ${end.exitCode}${added}`;
    case "signalled":
      return `its process ended with ${end.signal}${added}`;
    case "timed-out":
    case "aborted":
      return "it was stopped";
  }
}
