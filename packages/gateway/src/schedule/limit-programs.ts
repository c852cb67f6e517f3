import type { CommandResult, CommandRunner } from "@factotum/agent-contract";
import { waitInLine } from "../kernel/wait-in-line.ts";
import type { Waiter } from "../kernel/wait-in-line.ts";

/** Programs of jobs and of their checks that run at once: the rest of the machine is for people. */
const MAX_PROGRAMS = 8;

const NOTHING = { output: "", outputBytes: 0, durationMs: 0 } as const;

/** Runs the programs of jobs. */
export interface LimitedPrograms {
  /** As `CommandRunner.run`. `problemOf` is asked when it is its turn: its answer is why the program is not started after all. */
  run(...args: [...Parameters<CommandRunner["run"]>, problemOf: () => Promise<string | undefined>]): Promise<CommandResult>;
}

/** Runs at most eight programs at once; others wait, first come, first served, until their signal fires. */
export function limitPrograms({ run }: Pick<CommandRunner, "run">): LimitedPrograms {
  const line = new Set<Waiter>();
  let running = 0;
  return {
    run: async (request, options, problemOf) => {
      const { signal } = options;
      try {
        signal.throwIfAborted();
        if (running >= MAX_PROGRAMS) await waitInLine(line, {}, { signal, onEnter: () => undefined });
        else running += 1;
      } catch {
        return { end: { type: "aborted" }, ...NOTHING };
      }
      try {
        const problem = await problemOf();
        return problem === undefined ? await run(request, options) : { end: { type: "not-started", message: problem }, ...NOTHING };
      } finally {
        // The place goes to the next in line.
        const [next] = line;
        if (next === undefined) running -= 1;
        else next.enter();
      }
    },
  };
}
