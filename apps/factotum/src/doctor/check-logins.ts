import { resolveAccountSettings, type AccountConfig, type Environment, type FactotumConfig } from "@factotum/config";
import type { ChannelProbe } from "@factotum/protocol";
import { accountName } from "../compose/account-name.ts";
import { findGateway } from "../rpc/connect-gateway.ts";
import type { RpcClient } from "../rpc/rpc-client.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { ok, type Finding } from "./finding.ts";

/** Timeout of one account's check. */
const TIMEOUT_MS = 10_000;

/** Checks an account; `undefined` if its channel cannot be probed. */
type Probe = (account: AccountConfig, signal: AbortSignal) => Promise<ChannelProbe | undefined>;

/** The platforms take the credentials of the accounts and grant what their channels need: through the running gateway, otherwise in this process. */
export async function checkLogins(context: CliContext, config: FactotumConfig, env: Environment): Promise<Finding[]> {
  const accounts: AccountConfig[] = [];
  for (const account of Object.values(config.channels).flatMap(({ accounts: byId }) => Object.values(byId))) {
    if (!account.enabled || Object.keys(account.settings).length === 0) continue;
    // One without its secrets has a finding already.
    if ((await resolveAccountSettings(account.settings, { env })).type === "resolved") accounts.push(account);
  }
  if (accounts.length === 0) return [];
  using gateway = await ownGateway(context);
  const probe = gateway === undefined ? probeHere(config, env) : probeThere(gateway.client);
  return (await Promise.all(accounts.map(async (account) => checkLogin(account, probe, context.signal)))).flat();
}

async function checkLogin(account: AccountConfig, probe: Probe, stop: AbortSignal): Promise<Finding[]> {
  const { channel, accountId } = account;
  const name = `${channel}/${accountId}`;
  const again = `"factotum channels probe ${accountName(account)}" checks it again.`;
  const signal = AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const result = await Promise.race([probe(account, signal), aborted(signal)]);
    if (result === undefined) return [];
    const { account: known, missingPermissions, problems = [] } = result;
    const unreached = problems.map((problem): Finding => ({ check: CHECK, level: "warning", message: `${name}: ${problem}`, fix: again }));
    if (missingPermissions.length === 0)
      return unreached.length > 0 ? unreached : [ok(CHECK, `${name} is logged in as ${known.name ?? known.id}`)];
    const message = `${name} lacks permissions on its platform: ${missingPermissions.join(", ")}.`;
    return [
      ...unreached,
      { check: CHECK, level: "warning", message, fix: `Grant them to the account in the platform's console; ${again}` },
    ];
  } catch (error) {
    stop.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    return REFUSED.test(reason)
      ? [
          {
            check: CHECK,
            level: "error",
            message: `The platform refuses the login of ${name} (${reason}).`,
            fix: `Correct the credential of channels.${channel} in the configuration; ${again}`,
          },
        ]
      : [
          {
            check: CHECK,
            level: "warning",
            message: `The login of ${name} could not be checked (${signal.aborted ? `no answer within ${TIMEOUT_MS / 1000} s` : reason}).`,
            fix: `Check whether this machine reaches the platform; ${again}`,
          },
        ];
  }
}

const CHECK = "channel-login";
/** The codes of `ChannelError` for an account that does not work. */
const REFUSED = /^(?:unauthorized|forbidden): /;

async function ownGateway(context: CliContext): ReturnType<typeof findGateway> {
  try {
    const gateway = await findGateway(context);
    if (gateway === undefined || gateway.facts.version === context.version) return gateway;
    gateway[Symbol.dispose]();
    return undefined;
  } catch (error) {
    // One that refuses this command has a finding already.
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

function probeThere(client: RpcClient): Probe {
  return async ({ channel, accountId }, signal) => {
    const { capabilities } = await client.request("channels.capabilities", { channel, accountId }, { signal });
    const { optional } = capabilities;
    if (!Array.isArray(optional) || !optional.includes("probe")) return undefined;
    return client.request("channels.probe", { channel, accountId }, { signal });
  };
}

function probeHere(config: FactotumConfig, env: Environment): Probe {
  return async (account, signal) => {
    const { createIdleChannel } = await import("../compose/idle-channel.ts");
    const { ChannelError } = await import("@factotum/channel-contract");
    try {
      const channel = await createIdleChannel(config, account, { env });
      try {
        return await channel.probe?.({ signal });
      } finally {
        // It was never started; this releases what the probe opened.
        await channel.stop({ signal: AbortSignal.abort() }).catch(() => undefined);
      }
    } catch (error) {
      throw ChannelError.isInstance(error) ? new Error(`${error.code}: ${error.message}`, { cause: error }) : error;
    }
  };
}

/** Rejects when the signal is aborted: a channel of a package may ignore it. */
async function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = (): void => reject(signal.reason as Error);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
