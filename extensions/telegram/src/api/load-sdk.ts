import type * as Grammy from "grammy";

/** The SDK. */
export type Sdk = typeof Grammy;

/** Loads the SDK when it is needed. */
export async function loadSdk(): Promise<Sdk> {
  return import("grammy");
}
