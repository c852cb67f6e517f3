import type { SetupCheck, SetupHeartbeat, SetupState } from "@factotum/protocol";
import type { GatewayClient } from "../gateway-client/gateway-client.ts";

/** Requests of the first run. Every method rejects with an `RpcError` whose message is for people. */
export interface SetupClient {
  state(): Promise<SetupState>;
  /** Tests a provider with `key`, or with its current one. */
  check(target: { readonly provider: string; readonly key?: string; readonly model?: string }): Promise<SetupCheck>;
  storeKey(provider: string, key: string): Promise<void>;
  /** `provider/model`. */
  chooseModel(model: string): Promise<void>;
  nameAssistant(name: string): Promise<void>;
  setHeartbeat(choice: SetupHeartbeat): Promise<void>;
}

/** A test is up to three requests of ten seconds each. */
const CHECK_TIMEOUT_MS = 40_000;

/** The first run over the page's connection. */
export function createSetupClient(client: GatewayClient): SetupClient {
  return {
    state: async () => client.request("setup.state", {}),
    check: async (target) => client.request("setup.check", target, { timeoutMs: CHECK_TIMEOUT_MS }),
    storeKey: async (provider, key) => void (await client.request("setup.key", { provider, key })),
    chooseModel: async (model) => void (await client.request("setup.model", { model })),
    nameAssistant: async (name) => void (await client.request("setup.name", { name })),
    setHeartbeat: async (heartbeat) => void (await client.request("setup.heartbeat", { heartbeat })),
  };
}
