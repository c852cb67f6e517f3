import { describeEnd } from "@factotum/agent-contract";
import type { Clock, RunningCommand } from "@factotum/agent-contract";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";

const READ_BYTES = 256 * 1024;
/** Characters of one line, which is one message. */
const MAX_LINE_CHARS = 16_000_000;
/** Characters between two calls of `allowMore`: those of one prompt. */
const MAX_CHARS = 64_000_000;
/** What an agent wrote last that is no message; the end of its standard error when it has ended. */
const MAX_SAID_CHARS = 2_000;
/** How long an agent may take to leave after its input was closed. */
const LEAVE_MS = 2_000;

const UPDATE = "session/update";
const CANCEL = "$/cancel_request";

/**
 * Speaks with an agent over the standard input and output of a command, one JSON message a line. The runner owns the processes: it records them, and ends all of
 * them. An agent that writes lines without end, or floods the gateway, is ended. Lines that are no message are logs of the agent, and answers to nothing are
 * dropped.
 */
export class AgentPipe {
  readonly stream: Stream;
  /** Resolves with why the agent has ended, for the owner, once nothing of it runs. Never rejects. */
  readonly ended: Promise<string>;
  readonly #command: RunningCommand;
  readonly #clock: Pick<Clock, "schedule">;
  readonly #onUpdate: (params: unknown) => void;
  readonly #asked = new Set<unknown>();
  #chars = 0;
  #said = "";
  #why: string | undefined;
  #isLeaving = false;

  /** `onUpdate` gets the parameters of each `session/update`, before the answers that come after it. */
  constructor(command: RunningCommand, clock: Pick<Clock, "schedule">, onUpdate: (params: unknown) => void) {
    this.#command = command;
    this.#onUpdate = onUpdate;
    this.#clock = clock;
    const incoming = Promise.withResolvers<ReadableStreamDefaultController<AnyMessage>>();
    const readable = new ReadableStream<AnyMessage>({ start: (controller) => incoming.resolve(controller) });
    const writable = new WritableStream<AnyMessage>({ write: (message) => this.#write(message) });
    this.stream = { readable, writable };
    this.ended = incoming.promise.then(async (controller) => this.#follow(controller));
  }

  /** A prompt begins: the count of what the agent writes begins again. */
  allowMore(): void {
    this.#chars = 0;
  }

  /** Ends the agent at once for what it does; the rest of its output is not looked at. */
  stop(why: string): void {
    this.#why ??= why;
    this.#isLeaving = true;
    this.#command.kill();
  }

  /** Ends the agent: its input is closed, then its process group is ended. Resolves when nothing of it runs. */
  async close(why = "it was stopped"): Promise<void> {
    this.#why ??= why;
    if (!this.#isLeaving) {
      this.#isLeaving = true;
      if (this.#command.closeInput() === "written") {
        const timer = this.#clock.schedule(LEAVE_MS, () => this.#command.kill());
        void this.#command.ended.finally(() => timer[Symbol.dispose]());
      } else this.#command.kill();
    }
    await this.#command.ended;
  }

  #write(message: AnyMessage): void {
    if ("method" in message && "id" in message) this.#asked.add(message.id);
    const outcome = this.#command.write(`${JSON.stringify(message)}\n`);
    if (outcome === "full") this.stop("it does not read its input");
    if (outcome !== "written") throw new Error("the agent does not read its input, or has ended");
  }

  async #follow(controller: ReadableStreamDefaultController<AnyMessage>): Promise<string> {
    const { output } = this.#command;
    const { signal } = new AbortController();
    let offset = 0;
    let [line, chars]: [string[], number] = [[], 0];
    do {
      for (let part = output.read(offset, READ_BYTES); part.text !== ""; part = output.read(offset, READ_BYTES)) {
        if (part.offset !== offset) this.stop("it wrote faster than it could be read");
        offset = part.next;
        this.#chars += part.text.length;
        if (this.#chars > MAX_CHARS) this.stop("it floods the gateway with output");
        if (this.#isLeaving) continue;
        const pieces = part.text.split("\n");
        for (const [index, piece] of pieces.entries()) {
          line.push(piece);
          chars += piece.length;
          if (chars > MAX_LINE_CHARS) this.stop(`it wrote a line of more than ${MAX_LINE_CHARS / 1_000_000} million characters`);
          if (index === pieces.length - 1 || this.#isLeaving) break;
          this.#take(line.join(""), controller);
          [line, chars] = [[], 0];
        }
      }
    } while (await output.changed(offset, { signal }));
    if (chars <= MAX_SAID_CHARS) this.#note(line.join(""));
    const end = await this.#command.ended;
    controller.close();
    return (this.#why ??= describeEnd(end, this.#said));
  }

  #take(line: string, controller: ReadableStreamDefaultController<AnyMessage>): void {
    const message = parseMessage(line);
    if (message === undefined) return this.#note(line);
    // Of notifications only updates matter. The SDK writes a line to the standard error for each that is invalid, and for each answer to nothing.
    if ("method" in message && !("id" in message) && message["method"] !== CANCEL) {
      if (message["method"] === UPDATE) this.#onUpdate(message["params"]);
      return;
    }
    if (!("method" in message) && !this.#asked.delete(message["id"])) return;
    controller.enqueue(message as AnyMessage);
  }

  #note(line: string): void {
    if (line.trim() !== "") this.#said = `${this.#said}${line}\n`.slice(-MAX_SAID_CHARS);
  }
}

function parseMessage(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    return "method" in value || "id" in value ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    // Many programs log to their standard output.
    return undefined;
  }
}
