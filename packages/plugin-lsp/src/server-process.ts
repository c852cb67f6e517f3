import { describeEnd, renderServerCommand } from "@factotum/agent-contract";
import type { Clock, CommandRunner, RunFacts, RunningCommand, ServerCommand } from "@factotum/agent-contract";
import { describe } from "./describe-error.ts";
import { frame, MessageFrames } from "./message-frames.ts";

/** What a process needs. */
export interface ProcessOptions {
  readonly runner: CommandRunner;
  readonly run: RunFacts;
  readonly clock: Clock;
  readonly onMessage: (message: object) => void;
}

const READ_BYTES = 256 * 1024;
/** Characters of messages since the last answer. */
const MAX_UNASKED_CHARS = 16_000_000;
const MAX_SAID_CHARS = 2_000;
/** How long a server may take to leave after its input was closed. */
const LEAVE_MS = 1_000;

/**
 * The process of a language server, as a command: the runner records its process group, and ends all of it. A server that writes what is no message, or floods
 * the gateway, is ended.
 */
export class ServerProcess {
  readonly #command: RunningCommand;
  readonly #options: ProcessOptions;
  readonly #frames = new MessageFrames();
  #unaskedChars = 0;
  /** Ids of requests without an answer: what answers nothing does not count as one. */
  readonly #waiting = new Set<unknown>();
  #isLeaving = false;
  #why: string | undefined;
  /** Resolves with why nothing of it runs any longer. Never rejects. */
  readonly ended: Promise<string>;

  private constructor(command: RunningCommand, options: ProcessOptions) {
    this.#command = command;
    this.#options = options;
    this.ended = this.#follow();
  }

  static async start(server: ServerCommand, options: ProcessOptions): Promise<ServerProcess> {
    const { runner, run } = options;
    const running = await runner.start(renderServerCommand(server), {
      run,
      signal: new AbortController().signal,
      onOutput: () => undefined,
    });
    return new ServerProcess(running, options);
  }

  /** Throws if the server takes nothing. */
  send(message: object): void {
    const outcome = this.#command.write(frame(message));
    if (outcome === "full") this.kill("it does not read its input");
    if (outcome !== "written") throw new Error(outcome === "full" ? "the server does not read its input" : "the server has ended");
    if ("method" in message && "id" in message) this.#waiting.add(message.id);
  }

  /** Ends it: its input is closed, then its process group is ended. Resolves when nothing of it runs. */
  async close(): Promise<void> {
    if (!this.#isLeaving) {
      this.#isLeaving = true;
      this.#why ??= "it was stopped";
      if (this.#command.closeInput() === "written") {
        const timer = this.#options.clock.schedule(LEAVE_MS, () => this.#command.kill());
        void this.#command.ended.finally(() => timer[Symbol.dispose]());
      } else this.#command.kill();
    }
    await this.ended;
  }

  /** Ends it at once. */
  kill(why: string): void {
    this.#why ??= why;
    this.#isLeaving = true;
    this.#command.kill();
  }

  async #follow(): Promise<string> {
    const { output } = this.#command;
    const { signal } = new AbortController();
    let offset = 0;
    let isReadable = true;
    let unread = "";
    do {
      for (let part = output.read(offset, READ_BYTES); part.text !== ""; part = output.read(offset, READ_BYTES)) {
        if (part.offset !== offset && isReadable) this.kill("it wrote faster than it could be read");
        isReadable &&= part.offset === offset && this.#why === undefined;
        offset = part.next;
        if (!isReadable) unread = `${unread}${part.text}`.slice(-MAX_SAID_CHARS);
        else isReadable = this.#read(part.text);
      }
    } while (await output.changed(offset, { signal }));
    const result = await this.#command.ended;
    this.#why ??= describeEnd(result, `${this.#frames.rest}${unread}`);
    return this.#why;
  }

  /** False if nothing more can be read. */
  #read(text: string): boolean {
    try {
      for (const message of this.#frames.push(text)) this.#take(message);
      return true;
    } catch (error) {
      // Its last words look the same, but it has ended by then.
      if (!this.#isLeaving) this.kill(describe(error));
      return false;
    }
  }

  #take(text: string): void {
    this.#unaskedChars += text.length;
    const message: unknown = JSON.parse(text);
    if (typeof message !== "object" || message === null) throw new Error("it wrote what is no message of a language server");
    if (!("method" in message) && "id" in message && this.#waiting.delete(message.id)) this.#unaskedChars = 0;
    if (this.#unaskedChars > MAX_UNASKED_CHARS) throw new Error("it floods the gateway with output that nothing asked for");
    this.#options.onMessage(message);
  }
}
