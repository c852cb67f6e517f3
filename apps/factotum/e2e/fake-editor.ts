import { spawn, type ChildProcess } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { methods, RequestError, type ClientApp, type ClientCapabilities } from "@agentclientprotocol/sdk";

/** The files and terminals of an editor, as it offers them to its agent. */
export class FakeEditor {
  readonly capabilities: ClientCapabilities = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };
  /** Unsaved text by path. */
  readonly buffers = new Map<string, string>();
  /** Paths that were read and written. */
  readonly asked: string[] = [];
  /** The command lines of terminals so far. */
  readonly commands: string[] = [];
  readonly #terminals = new Map<string, { readonly child: ChildProcess; readonly ended: Promise<number>; output: string }>();

  /** Ids of the terminals that were not released. */
  get open(): readonly string[] {
    return [...this.#terminals.keys()];
  }

  readonly serve = (app: ClientApp): void => {
    app
      .onRequest(methods.client.fs.readTextFile, async ({ params: { path } }) => {
        this.asked.push(`read ${path}`);
        return { content: this.buffers.get(path) ?? (await readFile(path, "utf8")) };
      })
      .onRequest(methods.client.fs.writeTextFile, async ({ params: { path, content } }) => {
        this.asked.push(`write ${path}`);
        this.buffers.delete(path);
        await writeFile(path, content);
        return {};
      })
      .onRequest(methods.client.terminal.create, ({ params: { command, args = [], env = [], cwd } }) => {
        const added = Object.fromEntries(env.map(({ name, value }) => [name, value]));
        const child = spawn(command, args, { cwd: cwd ?? "/", env: { ...process.env, IN_EDITOR: "yes", ...added }, detached: true });
        const ended = new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? 137)));
        const terminal = { child, ended, output: "" };
        for (const stream of [child.stdout, child.stderr]) stream?.on("data", (part: Buffer) => (terminal.output += part.toString()));
        const terminalId = `t${this.commands.push([command, ...args].join(" "))}`;
        this.#terminals.set(terminalId, terminal);
        return { terminalId };
      })
      .onRequest(methods.client.terminal.output, ({ params }) => ({ output: this.#of(params.terminalId).output, truncated: false }))
      .onRequest(methods.client.terminal.waitForExit, async ({ params }) => ({ exitCode: await this.#of(params.terminalId).ended }))
      .onRequest(methods.client.terminal.kill, ({ params }) => {
        endGroup(this.#of(params.terminalId).child);
        return {};
      })
      .onRequest(methods.client.terminal.release, ({ params }) => {
        endGroup(this.#of(params.terminalId).child);
        this.#terminals.delete(params.terminalId);
        return {};
      });
  };

  /** Ends what still runs in its terminals. */
  close(): void {
    for (const { child } of this.#terminals.values()) endGroup(child);
  }

  #of(id: string): { readonly child: ChildProcess; readonly ended: Promise<number>; output: string } {
    const terminal = this.#terminals.get(id);
    if (terminal === undefined) throw RequestError.invalidParams({ id }, "There is no such terminal.");
    return terminal;
  }
}

function endGroup({ pid, exitCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // It has ended by now.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
