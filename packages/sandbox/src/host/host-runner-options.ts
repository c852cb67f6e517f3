import type { Clock, Logger, Random } from "@factotum/agent-contract";
import type { CommandCgroups } from "../cgroup/command-cgroups.ts";
import type { CommandLimits } from "../limits/command-limits.ts";
import type { OutputRedactor } from "../output/capped-output.ts";

/** Options of the runner. */
export interface HostRunnerOptions {
  readonly clock: Clock;
  readonly random: Pick<Random, "uuid">;
  readonly logger: Pick<Logger, "warn">;
  /** Folder for records of running commands; absolute, used by this runner alone, created on demand. */
  readonly recordFolder: string;
  /** The gateway's environment; a command gets PATH, HOME, LANG, TERM, TMPDIR, USER, SHELL, TZ, FACTOTUM_HOME and FACTOTUM_CONFIG of it, nothing else. */
  readonly baseEnv: Readonly<Record<string, string | undefined>>;
  /** Limits for all running commands together, read at each start and each measurement. */
  readonly limits: () => CommandLimits;
  /** If present, the kernel limits memory; commands outside of cgroups are measured on a timer. */
  readonly cgroups?: CommandCgroups | undefined;
  /** Redacts secrets in output before it is cut; without it output is unchanged. */
  readonly redactor?: OutputRedactor;
  /** Milliseconds between TERM and KILL. Default 2,000. */
  readonly killGraceMs?: number;
  /** Milliseconds that a command's background children may outlive it and keep its output open. Default 250. */
  readonly lingerMs?: number;
}
