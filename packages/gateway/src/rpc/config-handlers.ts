import type { ConfigPatchResult, ConfigView, RpcMethod, RpcMethods } from "@factotum/protocol";
import { RpcError } from "./rpc-error.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";

/** The result of a change, or why nothing was written. */
export type ConfigPatchOutcome =
  | { readonly type: "done"; readonly result: ConfigPatchResult }
  /** The file is another one than the change was made for. */
  | { readonly type: "conflict"; readonly message: string }
  | { readonly type: "refused"; readonly message: string };

/** The configuration file for clients. No secret is in what it resolves with. */
export interface ConfigDesk {
  schema(): Promise<Readonly<Record<string, unknown>>>;
  view(): Promise<ConfigView>;
  patch(change: RpcMethods["config.patch"]["params"]): Promise<ConfigPatchOutcome>;
}

/** The methods of the configuration file; that which reads it again is one of the gateway's own. */
export function configHandlers(desk: ConfigDesk): RpcHandlersOf<Exclude<Extract<RpcMethod, `config.${string}`>, "config.reload">> {
  return {
    "config.schema": async () => ({ schema: await desk.schema() }),
    "config.get": async () => desk.view(),
    "config.patch": async (change) => {
      const outcome = await desk.patch(change);
      if (outcome.type === "done") return outcome.result;
      throw new RpcError(outcome.type === "conflict" ? "conflict" : "invalid-request", outcome.message);
    },
  };
}
