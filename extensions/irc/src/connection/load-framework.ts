import type { Client } from "irc-framework";

/** Loads the protocol's library, with the first connection. */
export async function loadFramework(): Promise<typeof Client> {
  return (await import("irc-framework")).default.Client;
}
