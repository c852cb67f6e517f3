import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** Polls `url` like a supervisor that waits for a gateway; resolves with the milliseconds until it succeeded. */
export async function waitUntilReady(url: string, limitMs: number): Promise<number> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < limitMs) {
    if (await answersWell(url)) return performance.now() - startedAt;
    await delay(2);
  }
  throw new Error(`${url} did not answer within ${limitMs / 1000} seconds.`);
}

async function answersWell(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.ok;
  } catch (error) {
    // Not listening yet.
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/** A currently unused port. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
