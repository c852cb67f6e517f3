import { createServer } from "node:net";
import type { LoadedConfig } from "@factotum/config";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { findGateway, requestError } from "../rpc/connect-gateway.ts";
import type { RpcClient } from "../rpc/rpc-client.ts";
import { ok, type Finding } from "./finding.ts";

/** The gateway: it runs in this version, or its port is free. */
export async function checkGateway(context: CliContext, { config }: LoadedConfig): Promise<Finding[]> {
  try {
    using gateway = await findGateway(context);
    if (gateway !== undefined) {
      const { url, version } = gateway.facts;
      if (version === context.version) {
        return [
          ok("gateway", `runs at ${url}`),
          ...(await commandPolicy(gateway.client, context)),
          ...(await sharedSessions(gateway.client, context)),
        ];
      }
      const message = `The gateway at ${url} is of version ${version}, this command of version ${context.version}.`;
      return [{ check: "gateway", level: "warning", message, fix: 'Run "factotum gateway restart".' }];
    }
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return [{ check: "gateway", level: "error", message: error.message, ...(error.fix === undefined ? {} : { fix: error.fix }) }];
  }
  const { port, bind } = config.gateway;
  const host = bind === "loopback" ? "127.0.0.1" : bind === "lan" ? "0.0.0.0" : bind;
  const code = await tryToListen(port, host);
  if (code === undefined) return [ok("port", `the gateway is not running, and port ${port} is free`)];
  const message =
    code === "EADDRINUSE" ? `Another program uses port ${port} of ${host}.` : `Port ${port} of ${host} cannot be used (${code}).`;
  return [
    { check: "port", level: "error", message, fix: 'End that program, or choose another port: "factotum config set gateway.port 18791".' },
  ];
}

/** What commands may do and use: how their limits are kept, only the gateway that runs knows. */
async function commandPolicy(client: RpcClient, { signal }: CliContext): Promise<Finding[]> {
  const { config } = await client.request("status", {}, { signal }).catch((error: unknown) => {
    throw requestError(error);
  });
  return config.commandPolicy.map((line) => ok("commands", line));
}

/** Sessions into which messages of more than one person come: only a running gateway knows who has written. */
async function sharedSessions(client: RpcClient, { signal }: CliContext): Promise<Finding[]> {
  const { warnings } = await client.request("warnings.list", {}, { signal }).catch((error: unknown) => {
    throw requestError(error);
  });
  const shared = warnings.filter(({ id }) => id.startsWith("sharing:"));
  return shared.map(({ level, text, fix }) => ({ check: "sharing", level, message: text, ...(fix === undefined ? {} : { fix }) }));
}

function tryToListen(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "unknown"));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
