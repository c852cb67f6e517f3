import type { Writable } from "node:stream";
import type { InputOutcome } from "@factotum/agent-contract";

/** Bytes that wait for a command that does not read its input. */
const MAX_WAITING_BYTES = 1024 ** 2;

/** What Ctrl-D sends: a program in a terminal reads it as the end of its input. */
export const END_OF_TRANSMISSION = "\u0004";

/** The standard input of a command. */
export class CommandInput {
  readonly #stream: Writable | undefined;
  readonly #isTerminal: boolean;

  /** `null`: the command has none. */
  constructor(stream: Writable | null, { isTerminal }: { readonly isTerminal: boolean }) {
    this.#stream = stream ?? undefined;
    this.#isTerminal = isTerminal;
    // A command may close its input, or end, at any time: later writes find it closed.
    stream?.on("error", () => stream.destroy());
  }

  write(text: string): InputOutcome {
    const stream = this.#stream;
    if (stream === undefined || !stream.writable) return "closed";
    if (stream.writableLength > MAX_WAITING_BYTES) return "full";
    stream.write(text);
    return "written";
  }

  /** A terminal stays open: its program decides what the end of input means. */
  end(): InputOutcome {
    if (this.#isTerminal) return this.write(END_OF_TRANSMISSION);
    if (this.#stream === undefined || !this.#stream.writable) return "closed";
    this.#stream.end();
    return "written";
  }

  /** Drops what was not read. */
  close(): void {
    this.#stream?.destroy();
  }
}
