/** All run kinds. `a2a`, between agents: the words of another session, and the results of sub-agents; messages over the protocol A2A are `user`. */
export const RUN_KINDS = ["user", "heartbeat", "cron", "hook", "command", "subagent", "a2a", "compaction", "memory"] as const;

/** The cause of a run. Set once, when the run is created; selects the prompt variant, the lane and the spend cause. */
export type RunKind = (typeof RUN_KINDS)[number];

/** All thinking levels, weakest first; `adaptive` before `max`. */
export const THINKING_LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh", "adaptive", "max"] as const;

/** How much a model should think. `adaptive` leaves it to the model. */
export type ThinkingLevel = (typeof THINKING_LEVELS)[number];

/** The sandbox of a run. */
export interface RunSandbox {
  /** Access to the agent's own workspace. `none`: the run works in a folder of its own. */
  readonly workspaceAccess: "none" | "ro" | "rw";
  /** True if other people than the owner work in it too, so that whatever a command prints may be theirs (R23). */
  readonly shared: boolean;
  /**
   * Hosts that commands may reach, each through a proxy, as `sandbox.network.allow` lists them. Commands then need the owner's decision, and what they print is
   * text of others. Absent: no network.
   */
  readonly network?: readonly string[];
  /** The owner has chosen that commands run on the host all the same, in the same workspace. File tools stay as they are in the sandbox. */
  readonly elevated?: true;
}

/** Facts about the calling run, for tools. Immutable. */
export interface RunFacts {
  readonly runId: string;
  readonly kind: RunKind;
  /** The kind of the run that originally started it, if that is another one. */
  readonly cause?: RunKind;
  readonly agentId: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  /** The working directory: absolute, symbolic links resolved. */
  readonly workspace: string;
  /** True if the sender of the message that caused the run is the owner. Authority comes from here, never from arguments. */
  readonly owner: boolean;
  /** Set if the run is sandboxed: its commands run in a sandbox unless it is `elevated`. Absent: on the host. */
  readonly sandbox?: RunSandbox;
  /** IANA name of the user's time zone. */
  readonly timeZone: string;
}

/** The run that calls a tool. */
export interface ToolCaller {
  readonly run: RunFacts;
  /** The model had been given text of others than the owner when it made the call (R23). */
  readonly tainted: boolean;
}

/** The sandbox in which the commands of a run are; `undefined`: they are on the host. */
export function commandSandbox({ sandbox }: { readonly sandbox?: RunSandbox | undefined }): RunSandbox | undefined {
  return sandbox?.elevated === true ? undefined : sandbox;
}

/** Bounds of a run. The time limit is not among them: it is the deadline of the run's signal. */
export interface RunLimits {
  /** Maximum model requests in one run. */
  readonly maxTurns: number;
  /** Maximum tool calls in one run; 100 by default. */
  readonly maxToolCalls: number;
  /** Maximum concurrent tools, if all calls of a message are marked parallel. */
  readonly maxParallelTools: number;
}
