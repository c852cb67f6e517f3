import { isDeepStrictEqual } from "node:util";
import type { JsonSchema } from "@factotum/agent-contract";
import {
  formatKeyPath,
  isAvailable,
  isSecretPath,
  resolveAccountSettings,
  type AccountConfig,
  type ConfigProblem,
  type Environment,
  type LoadedConfig,
} from "@factotum/config";
import type { ChannelCatalog } from "./extensions.ts";

/** Where values and schemas come from. */
interface SharedLoginOptions {
  readonly env: Environment;
  /** Called only if a channel has several accounts. */
  readonly catalog: () => Promise<Pick<ChannelCatalog, "channels">>;
}

/**
 * Accounts of one channel with the login of an earlier one, as notices: the platform gives each message to one of them, or refuses one. A login is what the
 * channel's schema requires, as far as it contains a secret. A program that prints a secret is not run: equal programs count as equal secrets.
 */
export async function sharedLogins(
  { config }: Pick<LoadedConfig, "config">,
  options: SharedLoginOptions,
): Promise<readonly ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  for (const [channel, { accounts }] of Object.entries(config.channels)) {
    const enabled = Object.values(accounts).filter((account) => account.enabled);
    if (enabled.length < 2) continue;
    const keys = await loginKeys(channel, options);
    const earlier: { readonly accountId: string; readonly login: unknown }[] = [];
    for (const account of keys === undefined ? [] : enabled) {
      const login = await loginOf(account, keys ?? [], options);
      if (login === undefined) continue;
      const same = earlier.find((other) => isDeepStrictEqual(other.login, login));
      if (same === undefined) earlier.push({ accountId: account.accountId, login });
      else
        problems.push({
          type: "notice",
          path: formatKeyPath(["channels", channel, "accounts", account.accountId]),
          message: `it has the same login as the account ${same.accountId}, so that one of the two misses messages`,
        });
    }
  }
  return problems;
}

/** The keys of a login; `undefined` if the channel has none with a secret. */
async function loginKeys(channel: string, { catalog }: SharedLoginOptions): Promise<readonly string[] | undefined> {
  const found = (await catalog()).channels.find(({ id }) => id === channel);
  if (found === undefined || !isAvailable(found)) return undefined;
  const schema = await found.load().catch((): JsonSchema => ({}));
  const required = Array.isArray(schema["required"]) ? schema["required"].filter((key) => typeof key === "string") : [];
  return required.some((key) => isSecretPath([key])) ? required : undefined;
}

async function loginOf({ settings }: AccountConfig, keys: readonly string[], { env }: SharedLoginOptions): Promise<object | undefined> {
  const entries = keys.map((key) => [key, settings[key]] as const);
  const programs = entries.filter(([, value]) => isProgram(value));
  const resolved = await resolveAccountSettings(Object.fromEntries(entries.filter(([, value]) => !isProgram(value))), { env });
  return resolved.type === "resolved" ? { ...resolved.settings, ...Object.fromEntries(programs) } : undefined;
}

function isProgram(value: unknown): boolean {
  return typeof value === "object" && value !== null && "exec" in value;
}
