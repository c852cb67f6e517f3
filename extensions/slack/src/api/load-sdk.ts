import type * as SlackSdk from "@slack/web-api";

/** The official SDK. */
export type Sdk = typeof SlackSdk;

/** Loads the SDK when it is needed. */
export async function loadSdk(): Promise<Sdk> {
  return import("@slack/web-api");
}
