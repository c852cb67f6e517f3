import type { ConfigPatchResult, ConfigView, RpcMethod, RpcMethods } from "@factotum/protocol";
import type { RpcHandlersOf } from "./rpc-connection.ts";

/** The configuration file for clients. No secret is in what it resolves with. */
export interface ConfigService {
  schema(): Promise<Readonly<Record<string, unknown>>>;
  view(): Promise<ConfigView>;
  /** Rejects with an `RpcError` if nothing was written: `conflict` if the file is another one than the change was made for. */
  patch(change: RpcMethods["config.patch"]["params"]): Promise<ConfigPatchResult>;
}

/** The methods of the configuration file; that which reads it again is one of the gateway's own. */
export function configHandlers(service: ConfigService): RpcHandlersOf<Exclude<Extract<RpcMethod, `config.${string}`>, "config.reload">> {
  return {
    "config.schema": async () => ({ schema: await service.schema() }),
    "config.get": async () => service.view(),
    "config.patch": async (change) => service.patch(change),
  };
}
