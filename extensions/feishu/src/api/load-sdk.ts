import type * as LarkSdk from "@larksuiteoapi/node-sdk";

/** The official SDK. */
export type Sdk = typeof LarkSdk;

/** Loads the SDK when it is needed: it costs 150 ms and 62 MiB. */
export function loadSdk(): Promise<Sdk> {
  return import("@larksuiteoapi/node-sdk");
}

type ClientParameters = ConstructorParameters<Sdk["Client"]>[0];

/** What the SDK wants for its HTTP. */
export type SdkHttp = NonNullable<ClientParameters["httpInstance"]>;
/** What the SDK wants for its log. */
export type SdkLogger = NonNullable<ClientParameters["logger"]>;
/** What the SDK wants for its tokens. */
export type SdkCache = NonNullable<ClientParameters["cache"]>;
