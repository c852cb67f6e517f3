import { withoutUndefined } from "@factotum/agent-contract";
import type {
  BackgroundCommand,
  BackgroundCommands,
  CommandOptions,
  CommandOutput,
  CommandRequest,
  CommandResult,
  CommandRunner,
  InputOutcome,
  OutputPart,
} from "@factotum/agent-contract";

/** A command that does what the test says. Its output has ASCII characters only. */
export class FakeCommand {
  readonly request: CommandRequest;
  readonly options: CommandOptions;
  readonly written: string[] = [];
  isInputClosed = false;
  outcome: InputOutcome = "written";
  isKilled = false;
  #text = "";
  #waiting: (() => void)[] = [];
  readonly #end = Promise.withResolvers<CommandResult>();

  constructor(request: CommandRequest, options: CommandOptions) {
    this.request = request;
    this.options = options;
    options.signal.addEventListener("abort", () => this.end({ type: "aborted" }));
  }

  readonly ended: Promise<CommandResult> = this.#end.promise;

  readonly output: CommandOutput = Object.defineProperty(
    {
      length: 0,
      read: (offset: number, maxBytes: number): OutputPart => {
        const text = this.#text.slice(offset, offset + maxBytes);
        return { text, offset, next: offset + text.length };
      },
      changed: async (length: number, { signal }: { readonly signal: AbortSignal }): Promise<boolean> => {
        while (this.#text.length <= length && !signal.aborted && !this.hasEnded)
          await new Promise<void>((resolve) => {
            this.#waiting.push(resolve);
            signal.addEventListener("abort", () => resolve(), { once: true });
          });
        return this.#text.length > length;
      },
    },
    "length",
    { get: () => this.#text.length },
  );

  hasEnded = false;

  print(text: string): void {
    this.#text += text;
    this.options.onOutput(text);
    this.#wake();
  }

  end(end: CommandResult["end"]): void {
    this.hasEnded = true;
    this.#end.resolve({ end, output: this.#text, outputBytes: this.#text.length, durationMs: 5 });
    this.#wake();
  }

  write(text: string): InputOutcome {
    if (this.outcome === "written") this.written.push(text);
    return this.outcome;
  }

  closeInput(): InputOutcome {
    this.isInputClosed = true;
    return this.outcome;
  }

  kill(): void {
    this.isKilled = true;
    this.end({ type: "aborted" });
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

/** A runner of such commands; `onStart` is called with each. */
export function fakeRunner(onStart: (command: FakeCommand) => void): CommandRunner & { readonly started: readonly FakeCommand[] } {
  const started: FakeCommand[] = [];
  const start: CommandRunner["start"] = async (request, options) => {
    const command = new FakeCommand(request, options);
    started.push(command);
    onStart(command);
    return command;
  };
  return { started, start, run: async (request, options) => (await start(request, options)).ended };
}

/** The background commands of one session, in memory. */
export class FakeBackground implements BackgroundCommands {
  readonly kept: BackgroundCommand[] = [];
  readonly toldIds: string[] = [];
  readonly calls: Parameters<BackgroundCommands["keep"]>[1][] = [];
  /** Why nothing can be kept. */
  failure: Error | undefined;

  async keep(...[command, options]: Parameters<BackgroundCommands["keep"]>): Promise<BackgroundCommand> {
    if (this.failure !== undefined) throw this.failure;
    this.calls.push(options);
    let takenTo = 0;
    let result: CommandResult | undefined;
    void command.running.ended.then((ended) => (result = ended));
    const kept: BackgroundCommand = {
      ...command,
      ...withoutUndefined({ sandbox: options.run.sandbox }),
      tainted: options.tainted,
      id: `id${this.kept.length + 1}`,
      startedMs: 0,
      get takenTo() {
        return takenTo;
      },
      get result() {
        return result as CommandResult;
      },
      takeOutput: (maxBytes) => {
        const { output } = command.running;
        const part = output.read(Math.max(takenTo, output.length - maxBytes), maxBytes);
        takenTo = part.next;
        return part;
      },
    };
    this.kept.push(kept);
    return kept;
  }

  list(): readonly BackgroundCommand[] {
    return this.kept;
  }

  told(id: string): void {
    this.toldIds.push(id);
  }
}
