import type { RpcMethod, RpcMethods } from "@factotum/protocol";
import type { RpcHandlersOf } from "./rpc-connection.ts";

type PluginMethod = Extract<RpcMethod, `plugins.${string}`>;

/** The packages of extensions, for clients: a function for each method `plugins.*`. Each rejects with an `RpcError`. */
export type PluginService = {
  readonly [Method in PluginMethod as Method extends `plugins.${infer Name}` ? Name : never]: (
    params: RpcMethods[Method]["params"],
    options: { readonly signal: AbortSignal },
  ) => Promise<RpcMethods[Method]["result"]>;
};

/** The methods of packages. The caller has the token: the owner. */
export function pluginHandlers(service: PluginService): RpcHandlersOf<PluginMethod> {
  return {
    "plugins.list": async (params, { signal }) => service.list(params, { signal }),
    "plugins.install": async (params, { signal }) => service.install(params, { signal }),
    "plugins.update": async (params, { signal }) => service.update(params, { signal }),
    "plugins.remove": async (params, { signal }) => service.remove(params, { signal }),
    "plugins.enable": async (params, { signal }) => service.enable(params, { signal }),
    "plugins.disable": async (params, { signal }) => service.disable(params, { signal }),
  };
}
