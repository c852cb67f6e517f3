import { commandSandbox } from "@factotum/agent-contract";
import type {
  AgentTool,
  AgentToolResult,
  BackgroundCommand,
  BackgroundCommands,
  Clock,
  CommandResult,
  InputOutcome,
  RunFacts,
  ToolTraits,
} from "@factotum/agent-contract";
import { stripVTControlCharacters } from "node:util";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { errorResult, textResult } from "../define-tool/tool-result.ts";
import { endsMidLine, endText, markedOutput, withLine, withRefusals } from "./command-text.ts";
import { endWithin } from "./end-within.ts";
import { KEY_NAMES, parseKeys } from "./parse-keys.ts";

/** Reserve for the closing line. */
const NOTE_CHARS = 300;

const DEFAULT_WAIT_MS = 10_000;
/** A message of the owner is steered into the run between two calls: it must not wait for long. */
const MAX_WAIT_MS = 30_000;
/** How long the answer to an input is awaited by default. */
const ANSWER_MS = 500;
/** Output comes in pieces: what follows within this time belongs to it. */
const GATHER_MS = 100;

const MAX_TEXT_CHARS = 100;

export interface ProcessToolOptions {
  readonly background: BackgroundCommands;
  readonly clock: Pick<Clock, "monotonic" | "schedule">;
  /** Maximum characters of a result. */
  readonly maxResultChars: number;
}

const TRAITS: ToolTraits = {
  effect: "execute",
  idempotent: false,
  output: "trusted",
  network: true,
  parallel: false,
  holdsNoPlace: true,
  sandboxed: true,
};

const ProcessSchema = z.strictObject({
  action: z.enum(["list", "poll", "log", "write", "send-keys", "kill"]),
  id: z.string().optional(),
  text: z.string().optional(),
  eof: z.boolean().optional(),
  keys: z.array(z.string()).optional().describe("Enter, C-c, Up, y"),
  timeoutMs: z.number().min(0).optional(),
  offset: z.number().min(0).optional().describe("In bytes"),
  limit: z.number().min(1).optional(),
});

const TAKEN_BY = {
  text: ["write"],
  eof: ["write"],
  keys: ["send-keys"],
  timeoutMs: ["poll", "write", "send-keys"],
  offset: ["log"],
  limit: ["log"],
};

type ProcessArguments = z.infer<typeof ProcessSchema>;

/** A call about one command. */
interface Call {
  readonly args: ProcessArguments;
  readonly run: RunFacts;
  readonly signal: AbortSignal;
  readonly tainted: boolean;
}

/** Controls the background commands of the session: all of them for the owner on the host, those in a sandbox for sandboxed runs. */
export function createProcessTool(options: ProcessToolOptions): AgentTool {
  return defineTool({
    name: "process",
    summary: "Watch and control background commands",
    description:
      "This session's background commands. poll waits for new output or the end; log pages through it; write (text, eof) and send-keys (pty) send input, then poll; kill ends it.",
    schema: ProcessSchema,
    takenBy: TAKEN_BY,
    traits: TRAITS,
    // Input can be a command for a shell; the rest only looks at what runs, or ends it.
    traitsFor: ({ action }) => (isInput(action) ? TRAITS : { ...TRAITS, effect: action === "kill" ? "write" : "read", network: false }),
    async inspect({ action, id = "", text = "", eof = false, keys = [] }, run) {
      const command = commandsOf(run, options).find((one) => one.id === id);
      if (command === undefined) return { type: "invalid", message: unknownCommand(action, id) };
      const input = action === "send-keys" ? keys.join(" ") : `${text}${eof ? "\n[end of input]" : ""}`;
      return {
        type: "action",
        text: `${action} to ${id} (${shortText(command)}):\n${input}`,
        // Ids are not used twice: a decision for later calls is one about this command.
        binding: { action, id, text, eof, keys },
      };
    },
    async execute(args, { run, signal, tainted }) {
      if (!run.owner && commandSandbox(run) === undefined)
        return errorResult("process is refused: commands on the host are the owner's, and this message is not the owner's.");
      if (args.action === "list") return textResult(listText(options, run));
      const command = commandsOf(run, options).find(({ id }) => id === args.id);
      if (command === undefined) return errorResult(unknownCommand(args.action, args.id));
      return markedOutput(await act(command, { args, run, signal, tainted }, options), command.sandbox);
    },
  });
}

/** A sandboxed run does not reach commands on the host. */
function commandsOf(run: RunFacts, { background }: Pick<ProcessToolOptions, "background">): readonly BackgroundCommand[] {
  return background.list(run).filter((command) => commandSandbox(run) === undefined || commandSandbox(command) !== undefined);
}

function isInput(action: ProcessArguments["action"]): boolean {
  return action === "write" || action === "send-keys";
}

function unknownCommand(action: string, id: string | undefined): string {
  if (id === undefined || id === "") return `${action} needs the id of a command; list shows them.`;
  return `This session has no background command ${id}; list shows those it has.`;
}

async function act(command: BackgroundCommand, call: Call, options: ProcessToolOptions): Promise<AgentToolResult> {
  const { args, signal } = call;
  switch (args.action) {
    case "list":
    case "poll":
      return poll(command, call, args.timeoutMs ?? DEFAULT_WAIT_MS, options);
    case "log":
      return log(command, args, options);
    case "kill":
      command.running.kill();
      await command.running.ended;
      return poll(command, call, 0, options);
    case "write":
    case "send-keys": {
      const refusal = taintedInput(command, call) ?? (args.action === "write" ? write(command, args) : sendKeys(command, args));
      if (refusal !== undefined) return errorResult(refusal);
      return signal.aborted ? textResult("Written.") : poll(command, call, args.timeoutMs ?? ANSWER_MS, options);
    }
  }
}

/** Waits for output that the model was not given, or for the end, and returns both. */
async function poll(
  command: BackgroundCommand,
  { run, signal }: Call,
  waitMs: number,
  { background, clock, maxResultChars }: ProcessToolOptions,
): Promise<AgentToolResult> {
  const { output, ended } = command.running;
  const limit = new AbortController();
  const timer = clock.schedule(Math.min(waitMs, MAX_WAIT_MS), () => limit.abort());
  const hasMore = await output.changed(command.takenTo, { signal: AbortSignal.any([signal, limit.signal]) });
  timer[Symbol.dispose]();
  // The output ends a moment before the command counts as ended.
  const result = hasMore ? await endWithin(ended, GATHER_MS, clock) : await endWithin(ended, limit.signal.aborted ? 0 : GATHER_MS, clock);
  const { text, offset, next } = takeNew(command, maxResultChars - NOTE_CHARS);
  const skipped = offset > 0 ? `[${offset} bytes before this left out; log reads them]\n` : "";
  if (result !== undefined && !signal.aborted) background.told(command.id, run);
  const state = result === undefined ? `running for ${seconds(clock.monotonic() - command.startedMs)}` : `ended: ${ending(result)}`;
  const empty = text === "" ? "no new output; " : "";
  const shown = withRefusals(`${skipped}${text}`, result ?? {});
  const exitCode = result?.end.type === "exited" ? result.end.exitCode : null;
  return textResult(withLine(shown, `[${empty}${state}]`), {
    details: { running: result === undefined, exitCode, offset: next, ...endsMidLine(shown) },
  });
}

/** The new output; `offset` counts the bytes of it that are left out. */
function takeNew(command: BackgroundCommand, maxBytes: number): { readonly text: string; readonly offset: number; readonly next: number } {
  const from = command.takenTo;
  const { text, offset, next } = command.takeOutput(maxBytes);
  return { text: readable(text, command), offset: offset - from, next };
}

/** Without what moves the cursor and sets colours of a terminal. */
function readable(text: string, { hasTerminal }: BackgroundCommand): string {
  return hasTerminal ? stripVTControlCharacters(text).replaceAll("\r\n", "\n") : text;
}

function log(command: BackgroundCommand, { offset, limit }: ProcessArguments, { maxResultChars }: ProcessToolOptions): AgentToolResult {
  const { running } = command;
  const maxBytes = Math.min(Math.floor(limit ?? Number.MAX_SAFE_INTEGER), maxResultChars - NOTE_CHARS);
  const part = running.output.read(Math.floor(offset ?? Math.max(0, running.output.length - maxBytes)), maxBytes);
  const gone = offset !== undefined && part.offset > offset + 3 ? "; older output is not kept" : "";
  return textResult(withLine(readable(part.text, command), `[bytes ${part.offset} to ${part.next} of ${running.output.length}${gone}]`), {
    details: { offset: part.offset, next: part.next, total: running.output.length },
  });
}

function write({ running }: BackgroundCommand, { text, eof = false }: ProcessArguments): string | undefined {
  if (text === undefined && !eof) return "write needs text, or eof: true.";
  const outcome = text === undefined ? "written" : running.write(text);
  return inputRefusal(outcome === "written" && eof ? running.closeInput() : outcome);
}

/** A command of an untainted turn may change the agent's own workspace, which later turns follow: text of others gives it no input (R23). */
function taintedInput({ sandbox, tainted }: BackgroundCommand, call: Call): string | undefined {
  if (sandbox?.workspaceAccess !== "rw" || tainted || !call.tainted || call.run.sandbox === undefined) return undefined;
  return "This command can change the workspace, and this turn holds text of others: end it, and start it again.";
}

function sendKeys({ running, hasTerminal }: BackgroundCommand, { keys = [] }: ProcessArguments): string | undefined {
  if (!hasTerminal) return "This command has no terminal: use write, or start it again with pty: true.";
  if (keys.length === 0) return "send-keys needs keys.";
  const parsed = parseKeys(keys);
  if (parsed.type === "unknown")
    return `${JSON.stringify(parsed.key)} is not a key. Keys are single characters, C-<letter>, M-<character>, ${KEY_NAMES.join(", ")}; write sends text.`;
  return inputRefusal(running.write(parsed.text));
}

function inputRefusal(outcome: InputOutcome): string | undefined {
  switch (outcome) {
    case "written":
      return undefined;
    case "closed":
      return "The input of this command is closed: it has ended or closed it, or was started without one. background: true or pty: true opens one.";
    case "full":
      return "The command does not read its input: what was written before still waits.";
  }
}

function listText({ background, clock }: ProcessToolOptions, run: RunFacts): string {
  const lines = commandsOf(run, { background }).map((command) => {
    const { id, startedMs, result, running } = command;
    const state = result === undefined ? `running for ${seconds(clock.monotonic() - startedMs)}` : `ended: ${ending(result)}`;
    return `${id} (${state}, ${running.output.length} bytes of output): ${shortText(command)}`;
  });
  return lines.length === 0 ? "This session has no background commands." : lines.join("\n");
}

function shortText({ text }: BackgroundCommand): string {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  return flat.length > MAX_TEXT_CHARS ? `${flat.slice(0, MAX_TEXT_CHARS).toWellFormed()}…` : flat;
}

function ending({ end }: CommandResult): string {
  // By `kill`, a stop of the session or the end of the gateway: no run was aborted.
  if (end.type === "aborted") return "stopped";
  return end.type === "timed-out" ? "stopped at its time limit" : endText(end, 0);
}

function seconds(milliseconds: number): string {
  return `${Math.max(0, Math.round(milliseconds / 1_000))} s`;
}
