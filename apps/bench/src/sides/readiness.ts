import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** Asks `url` again and again, as whatever waits for a gateway does; resolves with the milliseconds until it answered well. */
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
    // Nobody listens there yet.
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/** A port on which nothing listens now. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
