import { type JsonObject, type JsonSchema, type JsonValue, withoutUndefined } from "@factotum/agent-contract";
import {
  describedAccount,
  extensionProblems,
  formatKeyPath,
  formatProblem,
  getConfigValue,
  hashOf,
  isAvailable,
  isSecretPath,
  loadConfig,
  REDACTED,
  redactSecrets,
  restoreSecrets,
  valueAt,
  type AccountConfig,
  type ConfigProblem,
  type KeyPath,
  type LoadedConfig,
} from "@factotum/config";
import { RpcError, type AccessService, type ChannelService, type ConfigControl } from "@factotum/gateway";
import type { AccountAccess, ChannelForm, ChannelSaving, KnownChannel } from "@factotum/protocol";
import { changedSince } from "./changed-since.ts";
import { asRequest } from "./service-error.ts";
import { channelCatalog, configOptions, findInstalled, type ChannelEntry } from "../compose/extensions.ts";
import { NO_PARTS } from "../compose/idle-channel.ts";
import { leftOut } from "../extensions/account-form.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { changeAccess, readAccess, type AccessChange } from "../accounts/account-access.ts";
import { accountFile } from "../accounts/account-files.ts";
import { availableChannel, installableChannels } from "../accounts/channel-packages.ts";
import { removeAccount } from "../accounts/remove-account.ts";
import { writeAccount, type AccountPlace } from "../accounts/write-account.ts";

/** The dependencies of the service. */
export interface ChannelServiceOptions {
  readonly context: CliContext;
  /** Applies the written file. */
  readonly control: Pick<ConfigControl, "reload">;
  /** Called with every new secret before it is used, so that no log line shows it. */
  readonly onSecret: (secret: string) => void;
}

type Address = Parameters<ChannelService["form"]>[0];
type Change = Parameters<ChannelService["save"]>[1];

/** Sets up channels for the clients of a running gateway, with the steps of the command `channels`. */
export function createChannelService(options: ChannelServiceOptions): ChannelService {
  return {
    list: async () => asRequest(async () => listChannels(options.context)),
    form: async (account) => asRequest(async () => readForm(account, options.context)),
    save: async (account, change) => asRequest(async () => save(account, change, options)),
    remove: async (address) =>
      asRequest(async () => {
        const loaded = await load(options.context);
        const account = configuredAccount(address, loaded);
        if (account === undefined) throw notFound(address);
        const removed = await removeAccount(options.context, account, loaded);
        await apply(options);
        return removed;
      }),
  };
}

/** Who may write to accounts, for the clients of a running gateway, with the steps of the command `access`. */
export function createAccessService(options: ChannelServiceOptions): AccessService {
  const { env } = options.context;
  const change = async (account: Address, what: AccessChange): Promise<AccountAccess> =>
    asRequest(async () => {
      if (await changeAccess(env, account, what)) await apply(options);
      return readAccess(env, account);
    });
  return {
    read: async (account) => asRequest(async () => readAccess(env, account)),
    allow: async (account, id, as) => change(account, { type: "allow", id, as }),
    remove: async (account, id, as) => change(account, { type: "remove", id, as }),
    setPolicy: async (account, policy) => change(account, { type: "policy", ...policy }),
  };
}

/** Free, and ready in a minute: the easiest to begin with. */
const EASIEST: readonly string[] = ["telegram"];

/** The channels with their accounts: the easiest to begin with, then those that are there, then those that can be installed. */
export async function listChannels(context: CliContext): Promise<readonly KnownChannel[]> {
  const { config } = await load(context);
  const [{ channels }, found] = [await channelCatalog(context.env), await findInstalled(context.env)];
  const installable = await installableChannels(context);
  const accountsOf = (id: string): readonly string[] => Object.keys(config.channels[id]?.accounts ?? {});
  const install = ({ id, about }: (typeof installable)[number]): KnownChannel => ({
    id,
    state: "installable",
    accounts: accountsOf(id),
    isImplicit: false,
    ...withoutUndefined({ about }),
  });
  const rows = channels.map(async (channel): Promise<KnownChannel> => {
    const { id } = channel;
    const accounts = accountsOf(id);
    if (isAvailable(channel)) {
      const packageName = found.channels.find((one) => one.id === id)?.packageName ?? `@factotum/${id}`;
      const { about } = await channel.loadManifest();
      return { id, state: "ready", package: packageName, accounts, isImplicit: channel.implicit === true, ...withoutUndefined({ about }) };
    }
    const listed = installable.find((one) => one.id === id);
    return listed === undefined ? { id, state: "unavailable", reason: channel.unavailable, accounts, isImplicit: false } : install(listed);
  });
  const others = installable.filter(({ id }) => channels.every((channel) => channel.id !== id));
  const placeIn = ({ id, state }: KnownChannel): number => (EASIEST.includes(id) ? 0 : state === "installable" ? 2 : 1);
  return [...(await Promise.all(rows)), ...others.map(install)].toSorted((one, other) => placeIn(one) - placeIn(other));
}

const ACCOUNT_NAME = /^[A-Za-z0-9][\w-]{0,63}$/;
const WRONG_NAME = "A name of an account is letters, digits, - and _, 64 at most.";

async function readForm(account: Address, context: CliContext): Promise<ChannelForm> {
  const entry = await availableChannel(context, account.channel);
  if (entry === undefined) throw new RpcError("not-found", `The channel ${account.channel} is not installed.`);
  if (!ACCOUNT_NAME.test(account.accountId)) throw new RpcError("invalid-request", WRONG_NAME);
  const loaded = await load(context);
  const schema = await entry.load();
  const { path, own, exists } = writtenAccount(account, loaded, schema);
  const settings = withOwnFilesHidden(redactSecrets(own, path) as JsonObject, account) as JsonObject;
  return {
    schema: describedAccount({ id: account.channel, schema }),
    settings,
    mark: REDACTED,
    exists,
    baseHash: hashOfOwn(own, exists),
  };
}

/** What the file has of an account: the channel's own settings, and those that every account has. */
interface WrittenSettings extends AccountPlace {
  readonly exists: boolean;
  readonly path: KeyPath;
  readonly own: JsonObject;
  readonly common: JsonObject;
}

function writtenAccount(account: Address, loaded: LoadedConfig, schema: JsonSchema): WrittenSettings {
  const place = placeOf(account, loaded);
  const path = pathOf(place.key, account);
  const names = namesOf(schema);
  const written = Object.entries((place.exists ? (valueAt(loaded.written, path) ?? {}) : {}) as JsonObject);
  const own = Object.fromEntries(written.filter(([name]) => names.includes(name)));
  const common = Object.fromEntries(written.filter(([name]) => !names.includes(name)));
  return { ...place, path, own, common };
}

function namesOf(schema: JsonSchema): readonly string[] {
  return Object.keys((schema["properties"] ?? {}) as JsonObject);
}

function hashOfOwn(own: JsonObject, exists: boolean): string {
  return hashOf(exists ? JSON.stringify(own) : "");
}

/** How often it is tried over a file that something else changes elsewhere. */
const MAX_TRIES = 5;

async function save(account: Address, { settings, baseHash }: Change, options: ChannelServiceOptions): Promise<ChannelSaving> {
  const { context } = options;
  const entry = await availableChannel(context, account.channel);
  if (entry === undefined) throw new RpcError("not-found", `The channel ${account.channel} is not installed.`);
  if (!ACCOUNT_NAME.test(account.accountId)) return { type: "refused", problems: [{ key: "", message: WRONG_NAME }] };
  const schema = await entry.load();
  for (let tries = 1; ; tries += 1) {
    const loaded = await load(context);
    const written = writtenAccount(account, loaded, schema);
    // The file is written only as it was loaded here, so that the account is still the compared one then.
    if (baseHash !== undefined && baseHash !== hashOfOwn(written.own, written.exists)) throw changedSince(written.key);
    const saved = await saveOver({ account, entry, schema, loaded, written }, settings as JsonObject, options);
    if (saved.type !== "conflict") return saved;
    const isTaken = (await load(context)).fileHash === loaded.fileHash;
    if (isTaken || tries === MAX_TRIES) throw new RpcError("conflict", saved.problems.map(formatProblem).join("\n"));
  }
}

interface Saving {
  readonly account: Address;
  readonly entry: ChannelEntry;
  readonly schema: JsonSchema;
  readonly loaded: LoadedConfig;
  readonly written: WrittenSettings;
}

/** Saves settings if the file is still the loaded one when its turn comes. */
async function saveOver(
  { account, entry, schema, loaded, written }: Saving,
  given: JsonObject,
  options: ChannelServiceOptions,
): Promise<ChannelSaving | { readonly type: "conflict"; readonly problems: readonly ConfigProblem[] }> {
  const { context, onSecret } = options;
  const { channel: id, accountId } = account;
  const { key, only, path } = written;
  const names = namesOf(schema);
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  if (unknown.length > 0)
    return { type: "refused", problems: unknown.map((name) => ({ key: name, message: "There is no setting of this name." })) };
  const own = restoreSecrets(withOwnFiles(given, written.own, account), loaded.written, path) as JsonObject;
  const marked = marksIn(own);
  if (marked.length > 0)
    return { type: "refused", problems: marked.map((name) => ({ key: name, message: "Write the secret again: it was not kept." })) };
  // What every account has is changed elsewhere, and stays.
  const settings: JsonObject = { ...written.common, ...own };
  const { configSchema } = await entry.loadExtension(NO_PARTS);
  const problems = extensionProblems({ id, schema }, configSchema, { key, settings });
  if (problems.length > 0) return { type: "refused", problems: problems.map((problem) => noteOf(problem, key)) };
  for (const secret of literalSecretsIn(own, path)) onSecret(secret);
  const place: AccountPlace = { key, ...withoutUndefined({ only }) };
  const base = loaded.fileHash ?? hashOf("");
  const { result, files } = await writeAccount(context, { channel: id, accountId, place, schema, settings, base });
  if (result.type === "refused") {
    if (result.problems.some(({ type }) => type === "conflict")) return { type: "conflict", problems: result.problems };
    return { type: "refused", problems: result.problems.map((problem) => noteOf(problem, key)) };
  }
  await apply(options);
  const advised = (await leftOut(schema, settings)).map((field) => ({ key: field.key, message: field.description ?? "" }));
  return { type: "saved", credentials: files, advised };
}

/** `undefined` also for an account that is there without being configured, such as that of the page: there is nothing to remove. */
function configuredAccount({ channel, accountId }: Address, { config, written }: LoadedConfig): AccountConfig | undefined {
  if (valueAt(written, ["channels", channel]) === undefined) return undefined;
  return valueAt(config, ["channels", channel, "accounts", accountId]) as AccountConfig | undefined;
}

/** Where an account is written, or would be. */
function placeOf({ channel, accountId }: Address, loaded: LoadedConfig): AccountPlace & { readonly exists: boolean } {
  const block = valueAt(loaded.written, ["channels", channel]) as JsonObject | undefined;
  const short = formatKeyPath(["channels", channel]);
  const named = formatKeyPath(["channels", channel, "accounts", accountId]);
  if (block === undefined) return { key: accountId === "default" ? short : named, exists: false };
  if ("accounts" in block) return { key: named, exists: getConfigValue(named, loaded).type === "set" };
  return accountId === "default" ? { key: short, exists: true } : { key: named, only: block, exists: false };
}

function pathOf(key: string, { channel, accountId }: Address): KeyPath {
  return key === formatKeyPath(["channels", channel]) ? ["channels", channel] : ["channels", channel, "accounts", accountId];
}

/** A mark in place of each private file of the account: a person who changes the secret need not know the file. */
function withOwnFilesHidden(value: JsonValue | undefined, account: Address, path: readonly string[] = []): JsonValue | undefined {
  if (isOwnFile(value, account, path)) return REDACTED;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, one]) => [key, withOwnFilesHidden(one, account, [...path, key])]),
  ) as JsonValue;
}

/** The settings with the private files of the account in place of their marks. */
function withOwnFiles(
  value: JsonValue | undefined,
  written: JsonValue | undefined,
  account: Address,
  path: readonly string[] = [],
): unknown {
  if (value === REDACTED && isOwnFile(written, account, path)) return written;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const before = (typeof written === "object" && written !== null && !Array.isArray(written) ? written : {}) as JsonObject;
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, one]) => [key, withOwnFiles(one, before[key], account, [...path, key])]),
  );
}

function isOwnFile(value: JsonValue | undefined, account: Address, path: readonly string[]): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { file, ...others } = value as JsonObject;
  return file === accountFile(account, path) && Object.keys(others).length === 0;
}

/** The keys of settings that are still a mark. */
function marksIn(value: unknown, path: readonly string[] = []): readonly string[] {
  if (typeof value === "string") return value.includes(REDACTED) ? [path.join(".")] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => marksIn(one, [...path, key]));
}

function literalSecretsIn(value: unknown, path: KeyPath): readonly string[] {
  if (typeof value === "string") return isSecretPath(path) && value.length > 0 ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => literalSecretsIn(one, [...path, key]));
}

function noteOf(problem: ConfigProblem, key: string): { readonly key: string; readonly message: string } {
  const isOwn = problem.path === key || problem.path.startsWith(`${key}.`);
  return isOwn ? { key: problem.path.slice(key.length + 1), message: problem.message } : { key: "", message: formatProblem(problem) };
}

async function load({ env }: Pick<CliContext, "env">): Promise<LoadedConfig> {
  const loaded = await loadConfig(await configOptions(env));
  if (loaded.type === "loaded") return loaded;
  throw new RpcError("unavailable", `The configuration cannot be used: ${loaded.problems.map(formatProblem).join("; ")}`);
}

/** A package or a secret in a file may have changed, which the file does not show. */
async function apply({ control }: Pick<ChannelServiceOptions, "control">): Promise<void> {
  const { type, problems } = await control.reload({ force: true });
  if (type === "kept") throw new RpcError("unavailable", `It is saved, but the gateway cannot use it: ${problems.join("; ")}`);
}

function notFound({ channel, accountId }: Address): RpcError {
  return new RpcError("not-found", `No account ${channel}:${accountId} is configured.`);
}
