import { readGatewayToken } from "@factotum/config";
import type { CliContext } from "../cli/cli-context.ts";
import { CliError } from "../cli/cli-error.ts";
import { isProcessAlive, readRuntimeFile, type RuntimeFacts } from "../runtime/runtime-file.ts";
import { ConnectionError, RpcClient, RpcError } from "./rpc-client.ts";

/** A gateway that answers. */
export interface ConnectedGateway extends Disposable {
  readonly client: RpcClient;
  readonly facts: RuntimeFacts;
}

/** Connects to the gateway of this state directory; `undefined` when none runs. Rejects with a `CliError` when one runs and does not let us in. */
export async function findGateway(context: CliContext): Promise<ConnectedGateway | undefined> {
  const facts = await readRuntimeFile(context.paths);
  if (facts === undefined || !isProcessAlive(facts.pid)) return undefined;
  const token = await ownToken(context);
  try {
    const client = await RpcClient.connect({
      url: facts.url,
      version: context.version,
      signal: context.signal,
      ...(token === undefined ? {} : { token }),
    });
    return { client, facts, [Symbol.dispose]: () => client[Symbol.dispose]() };
  } catch (error) {
    if (error instanceof RpcError) throw refused(error, facts);
    // The number can belong to another program by now: what counts is that nothing of ours answers there.
    if (error instanceof ConnectionError) return undefined;
    throw error;
  }
}

/** The token with which commands connect: `FACTOTUM_TOKEN`, else the one that the gateway made. */
export async function ownToken({ env, paths }: CliContext): Promise<string | undefined> {
  return env["FACTOTUM_TOKEN"]?.trim() || readGatewayToken(paths);
}

/** Connects, or says how to start the gateway. */
export async function connectGateway(context: CliContext): Promise<ConnectedGateway> {
  const gateway = await findGateway(context);
  if (gateway !== undefined) return gateway;
  throw new CliError("notRunning", "The gateway is not running.", {
    fix: 'Start it with "factotum gateway start", or in the foreground with "factotum gateway run".',
  });
}

function refused(error: RpcError, { url }: RuntimeFacts): CliError {
  if (error.code !== "unauthorized")
    return new CliError("failure", `The gateway at ${url} does not admit this command: ${error.message}`, { cause: error });
  return new CliError("unauthorized", `The gateway at ${url} does not accept the token.`, {
    cause: error,
    fix: "If gateway.auth.token is configured, put the same token into FACTOTUM_TOKEN.",
  });
}

/** Turns what a request failed with into words for people. */
export function requestError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof RpcError) {
    return new CliError(error.code === "unauthorized" || error.code === "forbidden" ? "unauthorized" : "failure", error.message, {
      cause: error,
    });
  }
  const message = error instanceof Error ? error.message : "the request failed";
  return new CliError("failure", message, { cause: error, fix: 'See what the gateway says: "factotum status".' });
}
