import type { RpcMethods } from "@factotum/protocol";
import type { GatewayClient } from "../gateway-client/gateway-client.ts";
import { RpcError } from "../gateway-client/rpc-error.ts";
import type { AppState } from "./app-state.ts";
import type { Store } from "./store.ts";

/** Steers and stops sub-agents. Each action resolves with the reason if it failed, for the row that it was asked in; nothing here rejects. */
export class SubagentController {
  readonly #client: GatewayClient;
  readonly #store: Store<AppState>;

  constructor(client: GatewayClient, store: Store<AppState>) {
    this.#client = client;
    this.#store = store;
  }

  /** Sends one a message. A repeated call with the same key sends nothing twice. */
  async steer(said: RpcMethods["subagents.steer"]["params"]): Promise<string | undefined> {
    return this.#try(async () => this.#client.request("subagents.steer", said));
  }

  /** Ends one with all below it. */
  async stop(sessionKey: string): Promise<string | undefined> {
    return this.#try(async () => this.#client.request("subagents.kill", { sessionKey }));
  }

  async #try(action: () => Promise<unknown>): Promise<string | undefined> {
    try {
      await action();
      return undefined;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      if (error.code === "forbidden") this.#store.update({ mayNotChangeSubagents: true });
      return error.message;
    }
  }
}
