import { setFlagsFromString } from "node:v8";

/** What the tuning looks at and passes on. */
export interface ProcessFacts {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly execPath: string;
  readonly execArgv: readonly string[];
  readonly argv: readonly string[];
  /** A parent that talks over a channel would lose it. */
  readonly hasChannel: boolean;
}

/** The same program, begun anew. */
export interface TunedStart {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * A turn makes much garbage: a young generation that may grow to this size is collected less often. The size is read when the process begins. Nothing else
 * may stand here without a look at the start: most flags have V8 refuse the code that Node brings along for its own modules, and compile each of them anew.
 */
const HEAP_FLAG = "--max-semi-space-size=32";
/** What V8 reads again and again while it runs, so that it can wait until everything is loaded. */
const RUNNING_FLAGS: readonly string[] = [
  // A turn calls most functions once. V8 compiles a function in its quick way (Maglev) after 400 calls, which for somebody who writes a few times a day is never.
  "--invocation-count-for-maglev=50",
  "--minimum-invocations-after-ic-update=50",
  // Compiling takes the processor from the turns that it is for. They go a long way through much code and stay nowhere, so that little is won by drawing
  // functions together, and much of the compiling is that.
  "--max-maglev-inlined-bytecode-size-cumulative=100",
  "--max-inlined-bytecode-size-cumulative=100",
];
/**
 * glibc otherwise keeps in its arenas what the compiler of V8 once needed, in pieces of 8 to 32 KiB (mallopt(3)): these come from the system, return to it
 * when freed, and leave no gaps between what stays.
 */
const ALLOCATOR = {
  MALLOC_MMAP_THRESHOLD_: "8192",
  MALLOC_TOP_PAD_: "16384",
} as const;
const MARK = "FACTOTUM_TUNED";

/** How to re-execute; `undefined` where that is done already or useless. An allocator that the environment configures stays as it is. */
export function planTuning({ platform, env, execPath, execArgv, argv, hasChannel }: ProcessFacts): TunedStart | undefined {
  if (platform !== "linux" || hasChannel || env[MARK] !== undefined || setsAllocator(env)) return undefined;
  const flags = isGiven(HEAP_FLAG, execArgv) ? [] : [HEAP_FLAG];
  const kept = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return {
    args: [execPath, ...execArgv, ...flags, ...argv.slice(1)],
    env: { ...Object.fromEntries(kept), ...ALLOCATOR, [MARK]: "1" },
  };
}

/** The flags for a process that has loaded everything; one that its command line has given stays as it was given. */
export function planRunning(execArgv: readonly string[]): readonly string[] {
  return RUNNING_FLAGS.filter((flag) => !isGiven(flag, execArgv));
}

/** Sets V8 for turns. For when everything is loaded: flags keep V8 from using compiled code. */
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
 * Replaces this process, with its number and its streams, by one whose memory is set for a gateway: that can only be given to a process before it begins.
 * Returns in the new one, and where nothing is replaced. What was set is taken out of the environment again: the programs that it starts are not its own.
 */
export function tuneProcess(): void {
  const { platform, env, execPath, execArgv, argv } = process;
  const tuned = planTuning({ platform, env, execPath, execArgv, argv, hasChannel: process.channel !== undefined });
  if (tuned !== undefined && process.execve !== undefined) process.execve(execPath, [...tuned.args], { ...tuned.env });
  if (env[MARK] === undefined) return;
  for (const name of [MARK, ...Object.keys(ALLOCATOR)]) delete env[name];
}
