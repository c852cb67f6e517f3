import { withoutUndefined } from "@factotum/agent-contract";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { isProcessAlive } from "../runtime/is-process-alive.ts";
import { readRuntimeFile, type RuntimeFacts } from "../runtime/runtime-file.ts";
import { ownTokens } from "./own-token.ts";
import type { RpcClient } from "./rpc-client.ts";
import { ConnectionError, NoAnswerError, RpcError } from "./rpc-errors.ts";

/** A connected gateway. */
export interface ConnectedGateway extends Disposable {
  readonly client: RpcClient;
  readonly facts: RuntimeFacts;
  /** The token that it accepted. */
  readonly token: string | undefined;
}

/** Connects to the gateway of this state directory; `undefined` if none runs. Rejects with a `CliError` if one runs and refuses us. */
export async function findGateway(context: CliContext): Promise<ConnectedGateway | undefined> {
  const facts = await readRuntimeFile(context.paths);
  if (facts === undefined || !isProcessAlive(facts.pid)) return undefined;
  try {
    const { client, token } = await connect(context, facts);
    return { client, facts, token, [Symbol.dispose]: () => client[Symbol.dispose]() };
  } catch (error) {
    if (error instanceof RpcError) throw refused(error, facts, context);
    // The port may belong to another program by now: then no gateway of ours answers there.
    if (error instanceof ConnectionError) return undefined;
    throw error;
  }
}

/** The gateway that runs and does not answer in time, because it is busy or hangs; `undefined` for one that answers, and without one. */
export async function findSilentGateway(context: CliContext): Promise<RuntimeFacts | undefined> {
  const facts = await readRuntimeFile(context.paths);
  if (facts === undefined || !isProcessAlive(facts.pid)) return undefined;
  try {
    const { client } = await connect(context, facts, SILENCE_MS);
    client[Symbol.dispose]();
    return undefined;
  } catch (error) {
    return error instanceof NoAnswerError ? facts : undefined;
  }
}

/** What people are told of a silent gateway. */
export function silentError({ pid, url }: RuntimeFacts): CliError {
  return new CliError("failure", `The gateway (process ${pid}) runs and does not answer at ${url}.`, {
    fix: `It may be busy: try again, and see "factotum logs". If it stays so: kill -9 ${pid}, then factotum gateway start.`,
  });
}

/** Wait of the second attempt, after the first one got no answer. */
const SILENCE_MS = 1_000;

async function connect(
  context: CliContext,
  { url }: RuntimeFacts,
  timeoutMs?: number,
): Promise<Pick<ConnectedGateway, "client" | "token">> {
  const { version, signal } = context;
  // Without a gateway the protocol need not be loaded.
  const { RpcClient: Client } = await import("./rpc-client.ts");
  let refusal: unknown;
  for await (const token of ownTokens(context)) {
    try {
      const client = await Client.connect({ url, version, signal, ...withoutUndefined({ token, timeoutMs }) });
      return { client, token };
    } catch (error) {
      // Wrong tokens from this machine delay further wrong ones, and the next may be the right one.
      if (!isUnauthorized(error) && !isDelayed(error)) throw error;
      refusal = error;
    }
  }
  throw refusal;
}

/** The gateway refuses the token, at the connection or later. */
export function isUnauthorized(error: unknown): boolean {
  return (error instanceof RpcError || error instanceof CliError) && error.code === "unauthorized";
}

function isDelayed(error: unknown): boolean {
  return error instanceof RpcError && error.code === "unavailable";
}

/** True if the gateway of this state directory accepts a token. Rejects with a `CliError` if none runs. */
export async function acceptsToken(context: CliContext, token: string | undefined): Promise<boolean> {
  const facts = await readRuntimeFile(context.paths);
  if (facts === undefined || !isProcessAlive(facts.pid)) throw notRunning();
  const { RpcClient: Client } = await import("./rpc-client.ts");
  try {
    using _client = await Client.connect({
      url: facts.url,
      version: context.version,
      signal: context.signal,
      ...withoutUndefined({ token }),
    });
    return true;
  } catch (error) {
    if (isUnauthorized(error) || isDelayed(error)) return false;
    throw error;
  }
}

/** Connects, or fails with how to start the gateway. */
export async function connectGateway(context: CliContext): Promise<ConnectedGateway> {
  const gateway = await findGateway(context);
  if (gateway !== undefined) return gateway;
  const silent = await findSilentGateway(context);
  if (silent !== undefined) throw silentError(silent);
  throw notRunning();
}

function notRunning(): CliError {
  return new CliError("notRunning", "The gateway is not running.", {
    fix: 'Start it with "factotum gateway start", or in the foreground with "factotum gateway run".',
  });
}

function refused(error: RpcError, { url }: RuntimeFacts, { env }: CliContext): CliError {
  if (error.code !== "unauthorized")
    return new CliError("failure", `The gateway at ${url} does not allow this command: ${error.message}`, { cause: error });
  return new CliError("unauthorized", `The gateway at ${url} does not accept the token.`, {
    cause: error,
    fix:
      (env["FACTOTUM_TOKEN"]?.trim() ?? "") === ""
        ? "Put the gateway's token into FACTOTUM_TOKEN: gateway.auth.token of the configuration it runs with."
        : "FACTOTUM_TOKEN is set to another token, and commands use it alone: unset it, or set it to the token of this gateway.",
  });
}

/** Converts a failed request to an error with advice. */
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
