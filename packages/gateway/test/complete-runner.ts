import type { CommandRunner } from "@factotum/agent-contract";

/** The commands of a test: functions that need not be processes. */
export type TestRunner = Pick<CommandRunner, "run"> & Partial<Pick<CommandRunner, "start">>;

/** A runner whose commands are the function: without output before their end, and without input. */
export function completeRunner({ run, start }: TestRunner): CommandRunner {
  return {
    run,
    start:
      start ??
      (async (request, options) => {
        const killed = new AbortController();
        const ended = run(request, { ...options, signal: AbortSignal.any([options.signal, killed.signal]) });
        return {
          ended,
          output: {
            length: 0,
            read: () => ({ text: "", offset: 0, next: 0 }),
            changed: async () => {
              await ended;
              return false;
            },
          },
          write: () => "closed",
          closeInput: () => "closed",
          kill: () => killed.abort(),
        };
      }),
  };
}
