import type { Logger } from "@factotum/agent-contract";

/** More than this within a minute, and the state of the process itself is in doubt. */
const MAX_CRASHES = 20;
const WINDOW_MS = 60_000;

/**
 * Keeps the process alive after an uncaught exception of a library or a callback (R12): it is logged, and committed data is safe. If that happens too often,
 * `giveUp` is called once.
 */
export function containCrashes(logger: Logger, giveUp: () => void): Disposable {
  const recent: number[] = [];
  const contain = (error: unknown, origin: string): void => {
    try {
      logger.error("An error reached nobody; the gateway goes on", { origin, error });
    } catch {
      // Its own properties throw, too.
      logger.error("An error reached nobody, and cannot be shown; the gateway goes on", { origin });
    }
    const now = performance.now();
    recent.push(now);
    while ((recent[0] ?? now) < now - WINDOW_MS) recent.shift();
    if (recent.length === MAX_CRASHES) giveUp();
  };
  const onException = (error: unknown): void => contain(error, "exception");
  const onRejection = (error: unknown): void => contain(error, "rejection");
  process.on("uncaughtException", onException).on("unhandledRejection", onRejection);
  return { [Symbol.dispose]: () => void process.off("uncaughtException", onException).off("unhandledRejection", onRejection) };
}
