import type { RpcMethod, RpcMethods } from "@factotum/protocol";
import type { RpcHandlersOf } from "./rpc-connection.ts";

type PluginMethod = Extract<RpcMethod, `plugins.${string}`>;

/** The packages of extensions, for clients: a function for each method `plugins.*`. Each rejects with an `RpcError`. */
export type PluginDesk = {
  readonly [Method in PluginMethod as Method extends `plugins.${infer Name}` ? Name : never]: (
    params: RpcMethods[Method]["params"],
    options: { readonly signal: AbortSignal },
  ) => Promise<RpcMethods[Method]["result"]>;
};

/** The methods of packages. The caller has the token: the owner. */
export function pluginHandlers(desk: PluginDesk): RpcHandlersOf<PluginMethod> {
  return {
    "plugins.list": async (params, { signal }) => desk.list(params, { signal }),
    "plugins.install": async (params, { signal }) => desk.install(params, { signal }),
    "plugins.update": async (params, { signal }) => desk.update(params, { signal }),
    "plugins.remove": async (params, { signal }) => desk.remove(params, { signal }),
    "plugins.enable": async (params, { signal }) => desk.enable(params, { signal }),
    "plugins.disable": async (params, { signal }) => desk.disable(params, { signal }),
  };
}
