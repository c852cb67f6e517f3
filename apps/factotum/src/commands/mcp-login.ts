import { withoutUndefined } from "@factotum/agent-contract";
import { loadConfig } from "@factotum/config";
import { httpFetch } from "@factotum/models";
import {
  lastRedirectUrl,
  LoginError,
  revokeLogin,
  startLogin,
  type RemoteServer,
  type Revocation,
  type StartedLogin,
} from "@factotum/plugin-mcp";
import { createReadSecret, mcpSettings } from "../compose/compose-mcp.ts";
import { createLoginPorts, removeLogin } from "../compose/mcp-logins.ts";
import { configOptions } from "../compose/extensions.ts";
import { describeReload, reloadGateway } from "../rpc/reload-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { SecretFilter } from "../runtime/secret-filter.ts";
import { systemClock } from "../runtime/system-clock.ts";
import { listenForRedirect, type RedirectListener } from "./redirect-listener.ts";
import { refusedStart } from "../runtime/refused-start.ts";

/** How long the browser is waited for. */
const WAIT_MS = 10 * 60_000;

/** How the owner logs in. */
interface McpLoginOptions {
  /** The answer comes from standard input, not from a browser of this machine. */
  readonly code: boolean;
  readonly json: boolean;
}

/**
 * Logs in at a server: shows the address, waits for the answer of the browser on the loopback address, or on standard input, and keeps the tokens. A running
 * gateway uses them at once.
 */
export async function mcpLogin(context: CliContext, name: string, { code, json }: McpLoginOptions): Promise<number> {
  const settings = await remoteServer(context, name);
  const secrets = new SecretFilter();
  const logins = createLoginPorts(context.paths, { clock: systemClock, secrets });
  const options = { logins, clock: systemClock, fetch: httpFetch, readSecret: createReadSecret(context.env, secrets) };
  try {
    await using listener = await openListener(settings, await lastRedirectUrl(name, settings, options));
    const { version, signal } = context;
    const started = await startLogin(name, settings, { ...options, version, signal, redirectUrl: listener.url });
    if (started === undefined) {
      if (json) printJson(context, { server: name, login: "not-needed" });
      else context.print(`${name} wants no login.\n`);
      return EXIT.ok;
    }
    await started.finish(await answerOf(context, started, { code, listener }));
  } catch (error) {
    if (!(error instanceof LoginError)) throw error;
    throw new CliError("failure", terminalText(secrets.hide(`There is no login at ${name}: ${error.message.replace(/\.$/, "")}.`)), {
      cause: error,
    });
  }
  const reloaded = await reloadGateway(context, { force: true });
  if (json) printJson(context, { server: name, login: "done", gateway: reloaded ?? null });
  else {
    context.print(`${name} is logged in. The tokens are in a file of the folder credentials that only you can read.\n`);
    context.note(`${describeReload(reloaded)}\n`);
  }
  return EXIT.ok;
}

/** Has the service take the tokens of a server back, if it can, and removes them and the registration here. */
export async function mcpLogout(context: CliContext, name: string, { json }: { readonly json: boolean }): Promise<number> {
  const settings = await remoteServer(context, name);
  const secrets = new SecretFilter();
  const logins = createLoginPorts(context.paths, { clock: systemClock, secrets });
  const options = { logins, clock: systemClock, fetch: httpFetch, readSecret: createReadSecret(context.env, secrets) };
  let problem: string | undefined;
  const revocation = await revokeLogin(name, settings, options).catch((error: unknown) => {
    if (!(error instanceof LoginError)) throw error;
    problem = terminalText(secrets.hide(error.message.replace(/\.$/, "")));
    return "failed" as const;
  });
  const wasThere = await removeLogin(context.paths, name);
  const reloaded = await reloadGateway(context, { force: true });
  if (json)
    printJson(context, { server: name, removed: wasThere, revocation, ...withoutUndefined({ problem }), gateway: reloaded ?? null });
  else context.print(wasThere ? `${removedText(name, revocation, problem)}\n` : `There was no login at ${name}.\n`);
  return EXIT.ok;
}

function removedText(name: string, revocation: Revocation | "failed", problem: string | undefined): string {
  const advice = "Revoke them there if somebody else may have them.";
  switch (revocation) {
    case "revoked":
      return `The tokens of ${name} are revoked at the service, and removed.`;
    case "unsupported":
      return `The tokens of ${name} are removed. The service has no way to revoke them from here. ${advice}`;
    case "failed":
      return `The tokens of ${name} are removed, but they could not be revoked at the service: ${problem}. ${advice}`;
    case "no-login":
      return `What was kept of the login at ${name} is removed.`;
  }
}

async function remoteServer(context: CliContext, name: string): Promise<RemoteServer> {
  const loaded = await loadConfig(await configOptions(context.env));
  if (loaded.type === "refused") throw refusedStart(loaded);
  const settings = mcpSettings(loaded.config)[name];
  if (settings === undefined)
    throw new CliError("failure", `There is no server ${JSON.stringify(name)}, or it is off.`, {
      fix: "List them with: factotum mcp list",
    });
  if ("command" in settings)
    throw new CliError("failure", `${name} is a program of this machine; logins are for servers at an address.`, {
      fix: `Give it what it needs in mcp.servers.${name}.env.`,
    });
  return settings;
}

/** On the configured port, or on that of the last login, whose registration then still holds, or on a free one. */
async function openListener({ oauth }: RemoteServer, last: string | undefined): Promise<RedirectListener> {
  const wanted = oauth?.redirectPort ?? (last === undefined ? 0 : Number(new URL(last).port));
  try {
    return await listenForRedirect(wanted);
  } catch (error) {
    if (oauth?.redirectPort === undefined) return listenForRedirect(0);
    throw new CliError("failure", `Port ${wanted} (oauth.redirectPort) is in use.`, {
      cause: error,
      fix: "End the program that uses it, or set another port.",
    });
  }
}

async function answerOf(
  context: CliContext,
  { address, isAnswer }: StartedLogin,
  { code, listener }: { readonly code: boolean; readonly listener: RedirectListener },
): Promise<string> {
  // Standard output is for the result of --json.
  context.note(`Open this address in a browser, and log in:\n\n${terminalText(address)}\n\n`);
  if (!code) {
    context.note("Waiting for the browser. If it runs on another machine, end this with Ctrl-C and use --code.\n");
    const limit = AbortSignal.timeout(WAIT_MS);
    try {
      return await listener.answer(isAnswer, AbortSignal.any([context.signal, limit]));
    } catch (error) {
      if (limit.aborted) throw new LoginError("the browser did not come back within 10 minutes", { cause: error });
      throw new LoginError("it was ended", { cause: error });
    }
  }
  const prompts = await context.prompts?.();
  const question = "The address to which the browser was sent at the end (its page does not open), or the code in it";
  if (prompts !== undefined) {
    const line = await prompts.password(question);
    if (line === undefined) throw new LoginError("it was ended");
    return line;
  }
  context.note(`${question}, on standard input:\n`);
  return (await context.readInput?.()) ?? "";
}
