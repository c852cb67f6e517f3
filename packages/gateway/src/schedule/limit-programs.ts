import type { CommandRunner } from "@factotum/agent-contract";
import { waitInLine } from "../kernel/wait-in-line.ts";
import type { Waiter } from "../kernel/wait-in-line.ts";

/** Programs of jobs and of their checks that run at once: the rest of the machine is for people. */
const MAX_PROGRAMS = 8;

/** Runs at most eight programs at once; others wait, first come, first served, until their signal fires. */
export function limitPrograms({ run }: Pick<CommandRunner, "run">): Pick<CommandRunner, "run"> {
  const line = new Set<Waiter>();
  let running = 0;
  return {
    run: async (request, options) => {
      const { signal } = options;
      try {
        signal.throwIfAborted();
        if (running >= MAX_PROGRAMS) await waitInLine(line, {}, { signal, onEnter: () => undefined });
        else running += 1;
      } catch {
        return { end: { type: "aborted" }, output: "", outputBytes: 0, durationMs: 0 };
      }
      try {
        return await run(request, options);
      } finally {
        // The place goes to the next in line.
        const [next] = line;
        if (next === undefined) running -= 1;
        else next.enter();
      }
    },
  };
}
