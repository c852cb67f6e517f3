import type { RpcMethod, RpcMethods } from "@factotum/protocol";
import type { CliContext } from "../runtime/cli-context.ts";
import { connectGateway, requestError } from "./connect-gateway.ts";

/** Sends one request to the running gateway, over a connection of its own. Rejects with a `CliError` that says what to do. */
export async function requestGateway<Method extends RpcMethod>(
  cli: CliContext,
  method: Method,
  params: RpcMethods[Method]["params"],
): Promise<RpcMethods[Method]["result"]> {
  using gateway = await connectGateway(cli);
  try {
    return await gateway.client.request(method, params, { signal: cli.signal });
  } catch (error) {
    throw requestError(error);
  }
}
