import type { CreateTerminalRequest, TerminalOutputResponse, WaitForTerminalExitResponse } from "@agentclientprotocol/sdk";
import type { ToolResultMessage } from "@factotum/agent-contract";
import { textOf, type CallTool } from "./call-tool.ts";
import { objectOf } from "./parse-update.ts";

const MAX_TERMINALS = 32;
const DEFAULT_OUTPUT_BYTES = 256 * 1024;
const MAX_OUTPUT_BYTES = 1024 * 1024;
/** How long one look at a command waits for news: another request of the agent waits behind it. */
const WAIT_MS = 5_000;

/** A command of the agent, as its calls have shown it so far. */
interface Terminal {
  /** Its id in the background; absent once it has ended. */
  readonly backgroundId?: string | undefined;
  readonly maxChars: number;
  readonly output: string;
  readonly isCut: boolean;
  readonly exit?: { readonly exitCode: number | null } | undefined;
}

/** The terminals of an agent: each is a background command of the session, which `exec` starts and `process` looks at. */
export class Terminals {
  readonly #call: CallTool;
  readonly #refuse: (message: string) => Error;
  readonly #terminals = new Map<string, Terminal>();
  #count = 0;

  constructor(call: CallTool, refuse: (message: string) => Error) {
    this.#call = call;
    this.#refuse = refuse;
  }

  /** Starts a command. A program without arguments may be a whole command line. */
  async create({ command, args = [], cwd, env = [], outputByteLimit }: CreateTerminalRequest): Promise<string> {
    if (this.#terminals.size >= MAX_TERMINALS) throw this.#refuse(`There are ${MAX_TERMINALS} terminals: release one.`);
    const line = args.length === 0 ? command : [command, ...args].map(quote).join(" ");
    const place = cwd === undefined || cwd === null ? {} : { workdir: cwd };
    const variables = env.length === 0 ? {} : { env: Object.fromEntries(env.map(({ name, value }) => [name, value])) };
    const result = await this.#call("exec", { command: line, background: true, ...place, ...variables });
    const { backgroundId, exitCode, endsMidLine } = objectOf(result.details);
    const maxChars = Math.min(outputByteLimit ?? DEFAULT_OUTPUT_BYTES, MAX_OUTPUT_BYTES);
    const isRunning = typeof backgroundId === "string";
    const text = textOf(result);
    const output = isRunning || exitCode !== 0 ? withoutState(text, endsMidLine === true) : text === "(no output)" ? "" : text;
    const id = `terminal-${(this.#count += 1)}`;
    this.#terminals.set(id, {
      ...(isRunning ? { backgroundId } : { exit: { exitCode: typeof exitCode === "number" ? exitCode : null } }),
      maxChars,
      ...kept("", output, maxChars),
    });
    return id;
  }

  async output(id: string): Promise<TerminalOutputResponse> {
    const { output, isCut, exit } = await this.#look(id, 0);
    return { output, truncated: isCut, ...(exit === undefined ? {} : { exitStatus: exit }) };
  }

  async wait(id: string): Promise<WaitForTerminalExitResponse> {
    for (;;) {
      const { exit } = await this.#look(id, WAIT_MS);
      if (exit !== undefined) return exit;
    }
  }

  async kill(id: string): Promise<void> {
    const terminal = this.#get(id);
    if (terminal.backgroundId === undefined) return;
    this.#take(id, terminal, await this.#call("process", { action: "kill", id: terminal.backgroundId }));
  }

  /** Ends a command that runs, and forgets it. */
  async release(id: string): Promise<void> {
    await this.kill(id);
    this.#terminals.delete(id);
  }

  #get(id: string): Terminal {
    const terminal = this.#terminals.get(id);
    if (terminal === undefined) throw this.#refuse(`There is no terminal ${id}.`);
    return terminal;
  }

  async #look(id: string, timeoutMs: number): Promise<Terminal> {
    const terminal = this.#get(id);
    if (terminal.backgroundId === undefined) return terminal;
    return this.#take(id, terminal, await this.#call("process", { action: "poll", id: terminal.backgroundId, timeoutMs }));
  }

  #take(id: string, { backgroundId }: Terminal, result: ToolResultMessage): Terminal {
    const { running, exitCode, endsMidLine } = objectOf(result.details);
    const now = this.#get(id);
    const next: Terminal = {
      ...now,
      ...kept(now.output, withoutState(textOf(result), endsMidLine === true), now.maxChars, now.isCut),
      ...(running === true
        ? { backgroundId }
        : { backgroundId: undefined, exit: { exitCode: typeof exitCode === "number" ? exitCode : null } }),
    };
    this.#terminals.set(id, next);
    return next;
  }
}

/** The newest output that fits. */
function kept(before: string, added: string, maxChars: number, wasCut = false): Pick<Terminal, "output" | "isCut"> {
  const all = before + added;
  return { output: all.length <= maxChars ? all : all.slice(all.length - maxChars).toWellFormed(), isCut: wasCut || all.length > maxChars };
}

/** Without the closing line, which says how the command is, and without the break before it where the output has none yet. */
function withoutState(text: string, endsMidLine: boolean): string {
  const at = text.lastIndexOf("\n[");
  return at === -1 ? (text.startsWith("[") ? "" : text) : text.slice(0, endsMidLine ? at : at + 1);
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
