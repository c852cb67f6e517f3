import { BrowserError } from "./browser-error.ts";

/** Waits for work that has no limit of its own. Rejects with a `BrowserError` of this message when the time is over; the work goes on. */
export async function within<Value>(work: Promise<Value>, timeoutMs: number, message: string): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new BrowserError(message)), timeoutMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
