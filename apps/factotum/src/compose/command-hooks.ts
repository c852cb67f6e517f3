import { basename } from "node:path";
import type { CommandResult, CommandRunner, Logger, RunFacts } from "@factotum/agent-contract";
import { matchesTool, type CommandHook } from "@factotum/config";
import type { HookSource } from "@factotum/gateway";
import type { HookName, HookPayloads } from "@factotum/plugin";

/** As in other programs with such hooks. */
const DENIED = 2;
const MAX_OUTPUT_BYTES = 8_000;
/** After those of all plugins, so that a command judges what is about to happen. */
const LAST: number = Number.MIN_SAFE_INTEGER;
/** The key of an answer that denies; other hooks deny nothing. */
const DENIALS: Partial<Readonly<Record<HookName, "deny" | "cancel">>> = {
  before_dispatch: "deny",
  before_model_call: "deny",
  before_tool_call: "deny",
  message_sending: "cancel",
};

/** What commands of hooks need. */
export interface CommandHookParts {
  /** Runs them on the host. */
  readonly runner: CommandRunner;
  /** The folder in which they run; absolute. */
  readonly folder: string;
  readonly logger: Logger;
}

/**
 * The handlers of `commandHooks`, in their order. A command gets one line of JSON on standard input: its `event`, and what the hook says. It lets the occasion
 * go on with exit code 0 and denies it with 2, for the reason in its output. Another code is logged, and the occasion goes on; a command that cannot be started,
 * is late or is ended has failed, which denies what can be denied.
 */
export function commandHookSources(hooks: readonly CommandHook[], parts: CommandHookParts): readonly HookSource[] {
  return hooks.map((hook, index) => commandHookSource(hook, `command ${basename(hook.command[0] ?? "")} (commandHooks[${index}])`, parts));
}

function commandHookSource(hook: CommandHook, owner: string, { runner, folder, logger }: CommandHookParts): HookSource {
  const { event, match, command, timeoutSeconds } = hook;
  const [file = "", ...args] = command;
  const run: RunFacts = { ...NO_RUN, workspace: folder };
  return {
    owner,
    trusted: true,
    hooks: [{ name: event, priority: LAST }],
    call: async (name, payload, { signal }) => {
      if (!applies(match, payload)) return undefined;
      const started = await runner.start(
        {
          command: { type: "argv", file, args },
          cwd: folder,
          env: {},
          input: { type: "pipe" },
          timeoutMs: timeoutSeconds * 1_000,
          maxOutputBytes: MAX_OUTPUT_BYTES,
        },
        { signal, run, onOutput: () => undefined },
      );
      // A command that decides without reading is not to blame.
      started.write(`${JSON.stringify({ event, ...payload })}\n`);
      started.closeInput();
      const { end, output } = await started.ended;
      if (end.type !== "exited") throw new Error(`${command.join(" ")} ${why(end, timeoutSeconds)}`);
      if (end.exitCode === 0) return undefined;
      const said = output.trim();
      const denial = DENIALS[name];
      if (end.exitCode === DENIED && denial !== undefined) return { [denial]: said === "" ? "The owner's rules do not allow it." : said };
      logger.warn("A command of a hook ended with an exit code that denies nothing", {
        hook: name,
        owner,
        exitCode: end.exitCode,
        output: said,
      });
      return undefined;
    },
  };
}

const NO_RUN = { runId: "hook", kind: "user", agentId: "", sessionKey: "", sessionId: "hook", owner: true, timeZone: "UTC" } as const;

function applies({ tools, agents }: CommandHook["match"], payload: HookPayloads[HookName]): boolean {
  const isTool = tools === undefined || ("tool" in payload && tools.some((entry) => matchesTool(entry, payload.tool)));
  return isTool && (agents === undefined || ("agentId" in payload && agents.includes(payload.agentId)));
}

function why(end: Exclude<CommandResult["end"], { type: "exited" }>, timeoutSeconds: number): string {
  switch (end.type) {
    case "not-started":
      return `could not be started: ${end.message}`;
    case "timed-out":
      return `took longer than ${timeoutSeconds} s (timeoutSeconds)`;
    case "signalled":
      return `was ended by ${end.signal}`;
    case "over-limit":
      return `used too many ${end.limit === "memory" ? "bytes of memory" : "processes"}`;
    case "aborted":
      return "was stopped";
  }
}
