import { setFlagsFromString } from "node:v8";

/** The facts of this process that tuning depends on. */
export interface ProcessFacts {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly execPath: string;
  readonly execArgv: readonly string[];
  readonly argv: readonly string[];
  /** True with an IPC channel to the parent, which a re-execution would lose. */
  readonly hasChannel: boolean;
}

/** The arguments and environment of the re-executed program. */
export interface TunedStart {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Flags that V8 reads continuously, so they are set after everything is loaded: with most flags V8 rejects the compiled code of Node's own modules and
 * compiles each of them again. What each gains: `docs/performance.md`.
 */
const RUNNING_FLAGS: readonly string[] = [
  // A turn calls most functions once, so with the default threshold of 400 calls most code is never optimised (Maglev) in a gateway of one person.
  "--invocation-count-for-maglev=50",
  "--minimum-invocations-after-ic-update=50",
  // Turns run through much code once, so inlining gains little, and most of the compile time, which is taken from turns, goes into it.
  "--max-maglev-inlined-bytecode-size-cumulative=100",
  "--max-inlined-bytecode-size-cumulative=100",
  // V8 otherwise chooses the factor by speeds it has measured: at one load the old generation grew to 1.7 or to 4 times what was in use.
  "--heap-growing-percent=50",
];
/**
 * The size of the young generation, MiB a half, which V8 reads when the process starts. Many turns at once fill one of the default size so fast that what they
 * use for milliseconds moves to the old generation. From its first size of 1 MiB it takes six collections in a start to grow, and each of them brings the
 * first collection of the old generation nearer. These are the only flags that do not make V8 reject the compiled code of Node's own modules.
 */
const START_FLAGS: readonly string[] = ["--min-semi-space-size=4", "--max-semi-space-size=32"];
/**
 * glibc otherwise keeps memory that V8's compiler once needed in its arenas, in pieces of 8 to 32 KiB (mallopt(3)): with these settings they come from the
 * system, return to it when freed, and leave no fragmentation.
 */
const ALLOCATOR = {
  MALLOC_MMAP_THRESHOLD_: "8192",
  MALLOC_TOP_PAD_: "16384",
} as const;
const MARK = "FACTOTUM_TUNED";

/** How to re-execute; `undefined` where that is done already or useless. An allocator that the environment configures stays as it is. */
export function planTuning({ platform, env, execPath, execArgv, argv, hasChannel }: ProcessFacts): TunedStart | undefined {
  if (platform !== "linux" || hasChannel || env[MARK] !== undefined || setsAllocator(env)) return undefined;
  const kept = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return {
    args: [execPath, ...execArgv, ...START_FLAGS.filter((flag) => !isGiven(flag, execArgv)), ...argv.slice(1)],
    env: { ...Object.fromEntries(kept), ...ALLOCATOR, [MARK]: "1" },
  };
}

/** The flags to set after loading, without those given on the command line. */
export function planRunning(execArgv: readonly string[]): readonly string[] {
  return RUNNING_FLAGS.filter((flag) => !isGiven(flag, execArgv));
}

/** Sets V8's flags for turns. Call it after loading: flags keep V8 from using compiled code. */
export function tuneRunning(): void {
  for (const flag of planRunning(process.execArgv)) setFlagsFromString(flag);
}

function setsAllocator(env: ProcessFacts["env"]): boolean {
  return Object.entries(env).some(([name, value]) => name.startsWith("MALLOC_") && value !== undefined);
}

function isGiven(flag: string, execArgv: readonly string[]): boolean {
  return execArgv.some((given) => nameOf(given) === nameOf(flag));
}

function nameOf(flag: string): string {
  return flag.split("=")[0] ?? flag;
}

/**
 * Re-executes this process with heap and allocator configured for a gateway, which is only possible at process start; id and streams stay. Returns in
 * the new process, and where nothing is to be done. Removes the variables from the environment again, so that child processes do not inherit them.
 */
export function tuneProcess(): void {
  const { platform, env, execPath, execArgv, argv } = process;
  const tuned = planTuning({ platform, env, execPath, execArgv, argv, hasChannel: process.channel !== undefined });
  if (tuned !== undefined && process.execve !== undefined) process.execve(execPath, [...tuned.args], { ...tuned.env });
  if (env[MARK] === undefined) return;
  for (const name of [MARK, ...Object.keys(ALLOCATOR)]) delete env[name];
}
