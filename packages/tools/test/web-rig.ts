import { createPublicRequester } from "../src/public-fetch/public-request.ts";
import { PageReader } from "../src/web/page/page-reader.ts";
import type { WebAccess } from "../src/web/web-access.ts";

export const FAKE_CLOCK_START = 1_000_000;

/** A clock whose time the test moves. Its timers are real, since they limit real threads and connections. */
export interface FakeClock {
  monotonic(): number;
  schedule(delayMs: number, callback: () => void): Disposable;
  advance(ms: number): void;
}

export function fakeClock(startMs: number): FakeClock {
  let nowMs = startMs;
  return {
    monotonic: () => nowMs,
    schedule: (delayMs, callback) => {
      const timer = setTimeout(callback, delayMs).unref();
      return { [Symbol.dispose]: () => clearTimeout(timer) };
    },
    advance: (ms) => {
      nowMs += ms;
    },
  };
}

/** The real parts, for a loopback server. The test closes `pages`. */
export function webAccess(
  options: Partial<Pick<WebAccess, "fetch" | "search">> & { readonly clock?: FakeClock },
): WebAccess & { readonly pages: PageReader } {
  const { clock = fakeClock(FAKE_CLOCK_START), ...rest } = options;
  return {
    clock,
    request: createPublicRequester({ clock }),
    pages: new PageReader({ clock }),
    fetch: { maxBytes: 2_000_000, allowPrivate: ["127.0.0.1"] },
    search: { provider: "duckduckgo", readKey: async () => ({ type: "unresolved", message: "there is none in this test" }) },
    ...rest,
  };
}
