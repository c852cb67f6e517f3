import { describeEnd, renderServerCommand } from "@factotum/agent-contract";
import type { Clock, CommandRunner, RunFacts, RunningCommand, ServerCommand } from "@factotum/agent-contract";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";

/** Dependencies of the transport. */
export interface StdioTransportOptions {
  readonly runner: CommandRunner;
  readonly run: RunFacts;
  readonly clock: Clock;
  /** Reads one line; throws for one that is no message. */
  readonly parseMessage: (line: string) => JSONRPCMessage;
}

const READ_BYTES = 256 * 1024;
/** Characters of one line, which is one message. */
const MAX_LINE_CHARS = 12_000_000;
/** Characters that answer no request, since the last answer. */
const MAX_UNASKED_CHARS = 16_000_000;
/** What a server wrote last that is no message; the end of its standard error when it has ended. */
const MAX_SAID_CHARS = 2_000;
/** How long a server may take to leave after its input was closed. */
const LEAVE_MS = 2_000;

/**
 * Speaks with a server over the standard input and output of a command, one JSON message a line. The runner owns the processes: it records them, and ends all of
 * them. A server that writes lines without end, or floods its client, is ended.
 */
export class StdioTransport implements Transport {
  /** Both mark a transport over standard input and output for the SDK, which then takes silence for a server of an older revision. */
  readonly stderr = null;
  readonly pid = null;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  readonly #program: ServerCommand;
  readonly #options: StdioTransportOptions;
  readonly #asked = new Set<string | number>();
  #command: Promise<RunningCommand> | undefined;
  #unaskedChars = 0;
  #said = "";
  #isLeaving = false;
  /** It is ended for what it writes; the rest is not looked at. */
  #isIgnored = false;
  #why: string | undefined;

  constructor(program: ServerCommand, options: StdioTransportOptions) {
    this.#program = program;
    this.#options = options;
  }

  /** Why the server has ended, for the owner; `undefined` while it runs. */
  get endedBecause(): string | undefined {
    return this.#why;
  }

  async start(): Promise<void> {
    const command = await (this.#command ??= this.#start());
    void this.#follow(command);
  }

  // eslint-disable-next-line typescript/require-await -- the interface of the SDK
  async send(message: JSONRPCMessage): Promise<void> {
    const command = await this.#command;
    if ("method" in message && "id" in message) this.#asked.add(message.id);
    const outcome = command?.write(`${JSON.stringify(message)}\n`) ?? "closed";
    if (outcome === "full") this.#stop("it does not read its input");
    if (outcome !== "written") throw new Error(outcome === "full" ? "the server does not read its input" : "the server has ended");
  }

  /** Ends the server: its input is closed, then its process group is ended. Resolves when nothing of it runs. */
  async close(): Promise<void> {
    const command = await this.#command;
    if (command === undefined) return;
    if (!this.#isLeaving) {
      this.#isLeaving = true;
      this.#why ??= "it was stopped";
      if (command.closeInput() === "written") {
        const timer = this.#options.clock.schedule(LEAVE_MS, () => command.kill());
        void command.ended.finally(() => timer[Symbol.dispose]());
      } else command.kill();
    }
    await command.ended;
  }

  #stop(why: string): void {
    this.#why ??= why;
    this.#isLeaving = true;
    this.#isIgnored = true;
    void this.#command?.then((command) => command.kill());
  }

  async #start(): Promise<RunningCommand> {
    const { runner, run } = this.#options;
    return runner.start(renderServerCommand(this.#program), { run, signal: new AbortController().signal, onOutput: () => undefined });
  }

  /** Reads messages until the server has ended. */
  async #follow(command: RunningCommand): Promise<void> {
    const { output } = command;
    const { signal } = new AbortController();
    let offset = 0;
    let [line, chars]: [string[], number] = [[], 0];
    do {
      for (let part = output.read(offset, READ_BYTES); part.text !== ""; part = output.read(offset, READ_BYTES)) {
        if (part.offset !== offset) this.#stop("it wrote faster than it could be read");
        offset = part.next;
        if (this.#isIgnored) continue;
        const pieces = part.text.split("\n");
        for (const [index, piece] of pieces.entries()) {
          line.push(piece);
          chars += piece.length;
          if (chars > MAX_LINE_CHARS) this.#stop(`it wrote a line of more than ${MAX_LINE_CHARS / 1_000_000} million characters`);
          if (index === pieces.length - 1 || this.#isIgnored) break;
          this.#take(line.join(""));
          [line, chars] = [[], 0];
        }
      }
    } while (await output.changed(offset, { signal }));
    if (!this.#isIgnored && chars <= MAX_SAID_CHARS) this.#take(line.join(""));
    this.#why ??= describeEnd(await command.ended, this.#said);
    this.onclose?.();
  }

  #take(line: string): void {
    if (line.trim() === "") return;
    this.#unaskedChars += line.length;
    const message = this.#parse(line);
    if (message === undefined) this.#said = `${this.#said}${line}\n`.slice(-MAX_SAID_CHARS);
    else if (!("method" in message) && "id" in message && message.id !== undefined && this.#asked.delete(message.id))
      this.#unaskedChars = 0;
    if (this.#unaskedChars > MAX_UNASKED_CHARS) this.#stop("it floods the gateway with output that nothing asked for");
    else if (message !== undefined) this.onmessage?.(message);
  }

  #parse(line: string): JSONRPCMessage | undefined {
    try {
      return this.#options.parseMessage(line);
    } catch {
      // Many servers log to their standard output.
      return undefined;
    }
  }
}
