import type * as Core from "@discordjs/core/http-only";
import type * as Rest from "@discordjs/rest";

/** The official libraries. */
export interface Sdk {
  readonly API: typeof Core.API;
  readonly REST: typeof Rest.REST;
}

/** Loads the libraries when they are needed. */
export async function loadSdk(): Promise<Sdk> {
  const [{ API }, { REST }] = await Promise.all([import("@discordjs/core/http-only"), import("@discordjs/rest")]);
  return { API, REST };
}
