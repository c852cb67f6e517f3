import type * as HttpApi from "matrix-js-sdk/lib/http-api/index.js";

/** The SDK's requests. Its main entry loads calls, stores and widgets too: 300 ms and 30 MB more. */
export type Sdk = typeof HttpApi;

/** Loads the SDK when it is needed. */
export async function loadSdk(): Promise<Sdk> {
  return import("matrix-js-sdk/lib/http-api/index.js");
}
