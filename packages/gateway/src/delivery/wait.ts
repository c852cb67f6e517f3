import type { Clock } from "@factotum/agent-contract";

/** Resolves after a delay, or when the signal fires. */
export async function wait(delayMs: number, { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal }): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = clock.schedule(delayMs, done);
    function done(): void {
      timer[Symbol.dispose]();
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}
