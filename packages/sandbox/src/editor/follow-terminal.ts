import { Buffer } from "node:buffer";
import { stripVTControlCharacters } from "node:util";
import type { Clock, CommandOptions, CommandRequest, CommandResult, EditorTerminal, RunningCommand } from "@factotum/agent-contract";
import { CappedOutput, NO_REDACTION, type OutputRedactor } from "../output/capped-output.ts";
import { OutputRing } from "../output/output-ring.ts";

/** Pause between two looks at the output. */
const LOOK_MS = 500;
/** How long a command that was ended may take to be gone. */
const END_MS = 5_000;
const RING_BYTES = 256 * 1024;
/** Part of the last output by which the next one is joined. */
const JOINT_CHARS = 1_000;

interface Followed {
  readonly request: Pick<CommandRequest, "timeoutMs" | "maxOutputBytes">;
  readonly how: CommandOptions;
  /** Monotonic. */
  readonly begunMs: number;
}

interface FollowOptions {
  readonly clock: Clock;
  readonly redactor?: OutputRedactor | undefined;
}

type Stop = Extract<CommandResult["end"], { readonly type: "timed-out" | "aborted" }>;
type Exit = Awaited<EditorTerminal["ended"]> | "lost";

/** Follows a command in a terminal of an editor to its end, and releases the terminal. */
export function followTerminal(terminal: EditorTerminal, followed: Followed, options: FollowOptions): RunningCommand {
  const output = new TerminalOutput(followed, options);
  const stop = Promise.withResolvers<Stop>();
  const ended = follow(terminal, { ...followed, output, stop }, options);
  const closed = (): "closed" => "closed";
  return { ended, output: output.ring, write: closed, closeInput: closed, kill: () => stop.resolve({ type: "aborted" }) };
}

async function follow(
  terminal: EditorTerminal,
  { request, how, begunMs, output, stop }: Followed & { readonly output: TerminalOutput; readonly stop: PromiseWithResolvers<Stop> },
  { clock }: FollowOptions,
): Promise<CommandResult> {
  const exited: Promise<Exit> = terminal.ended.catch(() => "lost" as const);
  const onAbort = (): void => stop.resolve({ type: "aborted" });
  how.signal.addEventListener("abort", onAbort, { once: true });
  if (how.signal.aborted) onAbort();
  using timers = new DisposableStack();
  if (request.timeoutMs > 0) timers.use(clock.schedule(request.timeoutMs, () => stop.resolve({ type: "timed-out" })));
  const over = new AbortController();
  const looking = look(terminal, output, { clock, signal: over.signal });
  const first = await Promise.race([exited.then((exit) => ({ type: "exit", exit }) as const), stop.promise]);
  if (first.type !== "exit") await endTerminal(terminal, exited, clock);
  over.abort();
  await looking;
  how.signal.removeEventListener("abort", onAbort);
  const isRead = await readOutput(terminal, output);
  const isLost = first.type === "exit" && first.exit === "lost";
  if (isLost) output.add("\n[The editor has left. What became of the command is unknown.]\n");
  else if (!isRead) output.add("\n[The editor did not show the end of the output.]\n");
  await terminal.release();
  output.ring.end(RING_BYTES);
  return {
    end: first.type === "exit" ? endOf(first.exit) : first,
    ...output.result(),
    durationMs: Math.round(clock.monotonic() - begunMs),
  };
}

function endOf(exit: Exit): CommandResult["end"] {
  if (exit === "lost") return { type: "aborted" };
  const { exitCode, signal } = exit;
  if (signal !== undefined) return { type: "signalled", signal };
  return { type: "exited", exitCode: exitCode ?? 0 };
}

/** Ends the command, and waits for that a while: its terminal is released in any case. */
async function endTerminal(terminal: EditorTerminal, exited: Promise<Exit>, clock: Clock): Promise<void> {
  const patience = Promise.withResolvers<void>();
  using _timer = clock.schedule(END_MS, patience.resolve);
  const killed = terminal.kill().catch(() => undefined);
  await Promise.race([killed.then(async () => exited), patience.promise]);
}

/** Reads the output again and again until the signal fires. */
async function look(
  terminal: EditorTerminal,
  output: TerminalOutput,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    const { promise, resolve } = Promise.withResolvers<void>();
    using _timer = clock.schedule(LOOK_MS, resolve);
    const stop = (): void => resolve();
    signal.addEventListener("abort", stop, { once: true });
    await promise;
    signal.removeEventListener("abort", stop);
    if (!signal.aborted && !(await readOutput(terminal, output))) return;
  }
}

/** False if the editor does not show it. */
async function readOutput(terminal: EditorTerminal, output: TerminalOutput): Promise<boolean> {
  try {
    output.show(await terminal.output());
    return true;
  } catch {
    // The end says what became of the editor.
    return false;
  }
}

/** The output of a command, of which an editor shows the newest part each time. */
class TerminalOutput {
  readonly ring = new OutputRing(() => RING_BYTES);
  readonly #capped: CappedOutput;
  readonly #live: ReturnType<OutputRedactor["stream"]>;
  #last = "";
  #bytes = 0;

  constructor({ request, how }: Followed, { redactor = NO_REDACTION }: FollowOptions) {
    this.#capped = new CappedOutput(request.maxOutputBytes, redactor);
    let left = request.maxOutputBytes;
    this.#live = redactor.stream((text) => {
      this.ring.append(text);
      if (text === "" || left <= 0) return;
      left -= text.length;
      how.onOutput(text);
    });
  }

  /** The output as it is shown now. */
  show({ text: shown, isCut }: Awaited<ReturnType<EditorTerminal["output"]>>): void {
    const text = stripVTControlCharacters(shown).replaceAll("\r\n", "\n");
    const fresh = following(this.#last, text);
    // More came than the editor keeps.
    if (isCut && fresh === text && text !== "") this.add("\n[… earlier output is left out …]\n");
    this.#last = text;
    this.add(fresh);
  }

  add(text: string): void {
    this.#bytes += Buffer.byteLength(text);
    this.#capped.append(text);
    this.#live.push(text);
  }

  result(): Pick<CommandResult, "output" | "outputBytes"> {
    this.#live.flush();
    return { output: this.#capped.toString(), outputBytes: this.#bytes };
  }
}

/** What a text has more than an earlier one, whose beginning it may have lost. */
function following(earlier: string, text: string): string {
  if (text.startsWith(earlier)) return text.slice(earlier.length);
  const joint = earlier.slice(-JOINT_CHARS);
  const at = text.lastIndexOf(joint);
  return at === -1 ? text : text.slice(at + joint.length);
}
