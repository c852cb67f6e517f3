import type { CommandRequest, CommandResult, CommandRunner, RunningCommand } from "@factotum/agent-contract";

/** A command that runs until the test ends it, or somebody kills it. */
export class HeldCommand implements RunningCommand {
  readonly request: CommandRequest;
  readonly written: string[] = [];
  isKilled = false;
  #text = "";
  readonly #end = Promise.withResolvers<CommandResult>();

  constructor(request: CommandRequest) {
    this.request = request;
  }

  get line(): string {
    return this.request.command.type === "shell" ? this.request.command.text : this.request.command.file;
  }

  readonly ended: Promise<CommandResult> = this.#end.promise;

  readonly output: RunningCommand["output"] = {
    length: 0,
    read: (offset, maxBytes) => {
      const text = this.#text.slice(offset, offset + maxBytes);
      return { text, offset, next: offset + text.length };
    },
    changed: async (length, { signal }) => {
      const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      if (this.#text.length <= length) await Promise.race([this.ended, stopped]);
      return this.#text.length > length;
    },
  };

  /** Ends by itself. */
  end(output = "", end: CommandResult["end"] = { type: "exited", exitCode: 0 }): void {
    this.#text += output;
    Object.assign(this.output, { length: this.#text.length });
    this.#end.resolve({ end, output: this.#text, outputBytes: this.#text.length, durationMs: 61_000 });
  }

  write(text: string): "written" {
    this.written.push(text);
    return "written";
  }

  closeInput(): "written" {
    return "written";
  }

  kill(): void {
    this.isKilled = true;
    this.end("", { type: "aborted" });
  }
}

/** Commands that are held, in the order of their start. */
export interface HeldCommands extends CommandRunner {
  readonly commands: readonly HeldCommand[];
}

export function createHeldCommands(): HeldCommands {
  const commands: HeldCommand[] = [];
  const start: CommandRunner["start"] = async (request, { signal }) => {
    const command = new HeldCommand(request);
    commands.push(command);
    signal.addEventListener("abort", () => command.kill(), { once: true });
    return command;
  };
  return { commands, start, run: async (request, options) => (await start(request, options)).ended };
}
