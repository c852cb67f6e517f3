import type { ModelList, RpcMethod, RpcMethods, SetupCheck, SetupHeartbeat, SetupState } from "@factotum/protocol";
import type { RpcHandlersOf } from "./rpc-connection.ts";

/**
 * Sets up models, the assistant's name and its heartbeat. Implementations return no keys, and resolve once a change is in use. Each method rejects with an
 * `RpcError`, except `check`, whose result says what is wrong. The methods are those of the protocol with the same names.
 */
export interface SetupControl {
  state(): Promise<SetupState>;
  check(
    target: { readonly provider: string; readonly key?: string | undefined; readonly model?: string | undefined },
    options: { readonly signal: AbortSignal },
  ): Promise<SetupCheck>;
  /** `models.list`. */
  models(query: RpcMethods["models.list"]["params"], options: { readonly signal: AbortSignal }): Promise<ModelList>;
  storeKey(provider: string, key: string): Promise<{ readonly keyPlace: string }>;
  forgetKey(provider: string): Promise<{ readonly keyPlace: string }>;
  chooseModel(reference: string): Promise<{ readonly model: string }>;
  nameAssistant(name: string): Promise<{ readonly name: string }>;
  setHeartbeat(choice: SetupHeartbeat): Promise<{ readonly heartbeat: SetupHeartbeat }>;
}

/** The methods of a first run. */
export function setupHandlers(setup: SetupControl): RpcHandlersOf<Extract<RpcMethod, `setup.${string}`>> {
  return {
    "setup.state": async () => setup.state(),
    "setup.check": async (target, { signal }) => setup.check(target, { signal }),
    "setup.key": async ({ provider, key }) => setup.storeKey(provider, key),
    "setup.forgetKey": async ({ provider }) => setup.forgetKey(provider),
    "setup.model": async ({ model }) => setup.chooseModel(model),
    "setup.name": async ({ name }) => setup.nameAssistant(name),
    "setup.heartbeat": async ({ heartbeat }) => setup.setHeartbeat(heartbeat),
  };
}
