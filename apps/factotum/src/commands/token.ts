import { withoutUndefined } from "@factotum/agent-contract";
import { loadConfig, replaceGatewayToken } from "@factotum/config";
import { configOptions } from "../compose/extensions.ts";
import { gatewayToken } from "../compose/gateway-token.ts";
import { findGateway, isUnauthorized, requestError, type ConnectedGateway } from "../rpc/connect-gateway.ts";
import { ConnectionError } from "../rpc/rpc-errors.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { addressOf } from "./address-of.ts";
import { refusedStart } from "../runtime/refused-start.ts";

/** Prints the token with which the page and other clients connect. Its holder is the owner. */
export async function tokenShow(context: CliContext, { json }: { readonly json: boolean }): Promise<number> {
  const { token } = await currentToken(context);
  if (token === undefined) throw new CliError("failure", 'There is no token: gateway.auth.mode is "none".');
  if (json) printJson(context, { token });
  else context.print(`${token}\n`);
  return EXIT.ok;
}

/** Generates another token. A running gateway applies it at once: connections opened with the old one are closed. */
export async function tokenRotate(context: CliContext, { json }: { readonly json: boolean }): Promise<number> {
  const { isConfigured, token: before } = await currentToken(context);
  if (before === undefined) throw new CliError("failure", 'There is no token to rotate: gateway.auth.mode is "none".');
  if (isConfigured)
    throw new CliError("failure", "The token is the one that gateway.auth.token names.", {
      fix: "Change it there, or remove the key (factotum config unset gateway.auth.token): then the gateway has a token of its own.",
    });
  // Connected with the old token, to ask the gateway to read the new one.
  using gateway = await findGateway(context);
  const token = await replaceGatewayToken(context.paths);
  if (gateway !== undefined) await useNewToken(context, gateway);
  const address = gateway === undefined ? undefined : addressOf(gateway.facts.url, token);
  if (json) printJson(context, { token, ...withoutUndefined({ address }) });
  else
    context.print(
      address === undefined ? "The token is replaced. The next start uses it.\n" : `The token is replaced. The page is now at ${address}\n`,
    );
  return EXIT.ok;
}

async function useNewToken({ signal }: CliContext, { client }: ConnectedGateway): Promise<void> {
  try {
    await client.request("config.reload", { force: true }, { signal });
  } catch (error) {
    // The new token closes the connection that requested it.
    if (!isUnauthorized(error) && !(error instanceof ConnectionError)) throw requestError(error);
  }
}

async function currentToken(context: CliContext): Promise<{ readonly token: string | undefined; readonly isConfigured: boolean }> {
  const { env, paths } = context;
  const loaded = await loadConfig(await configOptions(env));
  if (loaded.type === "refused") throw refusedStart(loaded);
  const { token, notices } = await gatewayToken(loaded.config, { paths, env });
  // A notice says that the configured one is not used.
  return { token, isConfigured: loaded.config.gateway.auth.token !== undefined && notices.length === 0 };
}
