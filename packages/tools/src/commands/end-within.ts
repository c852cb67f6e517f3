import type { Clock, CommandResult } from "@factotum/agent-contract";

/** The result of a command that ends within the delay. Rejects if the command does. */
export function endWithin(
  ended: Promise<CommandResult>,
  delayMs: number,
  clock: Pick<Clock, "schedule">,
): Promise<CommandResult | undefined> {
  return new Promise((resolve, reject) => {
    const timer = clock.schedule(delayMs, () => resolve(undefined));
    ended.then(resolve, reject).finally(() => timer[Symbol.dispose]());
  });
}
