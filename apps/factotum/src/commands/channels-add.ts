import { withoutUndefined, type JsonObject, type JsonSchema } from "@factotum/agent-contract";
import type { ChannelExtension } from "@factotum/channel-contract";
import { extensionProblems, formatProblem, getConfigValue, loadConfig, locateConfig, valueAt, type ConfigProblem } from "@factotum/config";
import { configOptions, type ChannelEntry } from "../compose/extensions.ts";
import { NO_PARTS } from "../compose/idle-channel.ts";
import { leftOut } from "../extensions/account-form.ts";
import { describeReload, reloadGateway } from "../rpc/reload-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { AccountAnswers, askSettings, readGiven } from "./ask-settings.ts";
import { availableChannel, installableChannels, noSuchChannel } from "../accounts/channel-packages.ts";
import { installPlugin } from "./plugins.ts";
import { refusedStart } from "../runtime/refused-start.ts";
import { writeAccount, type AccountPlace } from "../accounts/write-account.ts";

/** Options of `channels add`. */
export interface ChannelAddOptions {
  /** The account's name; the only account by default. */
  readonly account?: string;
  /** `key=value`, each with dots for settings inside others; `key=-` reads standard input. */
  readonly set: readonly string[];
  readonly yes: boolean;
  readonly json: boolean;
}

/** Sets up an account: installs the package of a listed channel, asks for the settings, keeps secrets in private files, and writes the configuration. */
export async function channelsAdd(context: CliContext, id: string, options: ChannelAddOptions): Promise<number> {
  const channel = await findChannel(context, id, options);
  const { key, only } = await placeOfAccount(context, id, options.account);
  const given = await readGiven(context, options.set);
  const schema = await channel.load();
  const accountName = options.account ?? "default";
  const { configSchema } = await loadExtension(channel);
  const settings = await fillSettings(context, options, {
    schema,
    given,
    key,
    problemsOf: (written) => extensionProblems({ id, schema }, configSchema, { key, settings: written }),
  });
  const place = { key, ...withoutUndefined({ only }) };
  const { result, files } = await writeAccount(context, { channel: id, accountId: accountName, place, schema, settings });
  if (result.type === "refused") throw await refusal(context, result.problems);
  const reloaded = await reloadGateway(context);
  if (options.json) {
    printJson(context, { channel: id, accountId: accountName, key, credentials: files, gateway: reloaded ?? null });
    return EXIT.ok;
  }
  context.print(
    `${id}/${accountName} is set up in ${result.path}${files.length === 0 ? "" : `; its secrets are in ${files.join(", ")}`}.\n`,
  );
  if (only !== undefined) context.print(`The settings of ${id}/default are in channels.${id}.accounts.default now.\n`);
  for (const { key: name, description } of await leftOut(schema, settings))
    context.print(`Not set: ${key}.${name}. ${description ?? ""}\n`);
  context.print(`${await describeAdmission(context, channel, accountName)}\n`);
  context.note(`${describeReload(reloaded)}\n`);
  return EXIT.ok;
}

interface Filling {
  readonly schema: JsonSchema;
  readonly given: Map<string, string>;
  /** Where the account is written. */
  readonly key: string;
  readonly problemsOf: (settings: JsonObject) => readonly ConfigProblem[];
}

/** Asks for the settings until the channel takes them: at a terminal again for those that it refuses. */
async function fillSettings(
  context: CliContext,
  options: Pick<ChannelAddOptions, "set" | "json">,
  { schema, given, key, problemsOf }: Filling,
): Promise<JsonObject> {
  const prompts = options.set.length === 0 && !options.json ? await context.prompts?.() : undefined;
  const answers = new AccountAnswers();
  for (;;) {
    const settings = await askSettings(schema, { given, prompts, answers });
    const problems = problemsOf(settings);
    if (problems.length === 0) return settings;
    const places = problems.map(({ path }) => path.slice(key.length + 1));
    if (prompts === undefined || !answers.withdraw(places)) throw await refusal(context, problems);
    for (const problem of problems) prompts.say("warning", formatProblem(problem));
  }
}

/** How somebody gets admitted to a new account. */
async function describeAdmission({ env }: CliContext, { id, ownerWithoutCode }: ChannelEntry, accountName: string): Promise<string> {
  const loaded = await loadConfig(await configOptions(env));
  const allow = `factotum access allow ${id}:${accountName} ID --owner`;
  const policy = loaded.type === "loaded" ? loaded.config.channels[id]?.accounts[accountName]?.dmPolicy : undefined;
  if (policy !== "pairing") return `Say who may talk to it: ${allow}`;
  if (loaded.type === "loaded" && loaded.config.commands.ownerAllowFrom.length > 0)
    return `Write to it. "factotum pairing list" then shows your id, and this makes you an owner there: ${allow}. An approved code makes a guest, because there is an owner already.`;
  const other = ownerWithoutCode?.(`${id}:${accountName}`) ?? `With your id instead of a code: ${allow}`;
  return `Write to it, then approve the code that it answers with: factotum pairing approve CODE. ${other}`;
}

async function findChannel(context: CliContext, id: string, { yes }: { readonly yes: boolean }): Promise<ChannelEntry> {
  const present = await availableChannel(context, id);
  if (present !== undefined) return present;
  if ((await installableChannels(context)).some((one) => one.id === id)) {
    await installPlugin(context, id, { yes, replaces: false });
    const installed = await availableChannel(context, id);
    if (installed !== undefined) return installed;
  }
  throw await noSuchChannel(context, id);
}

async function loadExtension(channel: ChannelEntry): Promise<ChannelExtension> {
  return channel.loadExtension(NO_PARTS).catch((error: unknown) => {
    throw new CliError("failure", `Nothing was set up: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  });
}

async function refusal({ paths, env }: CliContext, problems: readonly ConfigProblem[]): Promise<CliError> {
  const { path } = await locateConfig(paths, env);
  return new CliError("configInvalid", `${path} was not changed: ${problems.map(formatProblem).join("; ")}`, {
    fix: "Give every setting as --set key=value, or run the command at a terminal.",
  });
}

/** Throws if the account is there already. */
async function placeOfAccount({ env }: CliContext, id: string, account: string | undefined): Promise<AccountPlace> {
  const loaded = await loadConfig(await configOptions(env));
  if (loaded.type === "refused") throw refusedStart(loaded);
  const block = valueAt(loaded.written, ["channels", id]) as JsonObject | undefined;
  if (account === undefined && block === undefined) return { key: `channels.${id}` };
  if (account === undefined) {
    throw new CliError("usage", `channels.${id} is configured already.`, {
      fix: `Name another account with --account NAME, or change a setting with: factotum config set channels.${id}.KEY VALUE`,
    });
  }
  const key = `channels.${id}.accounts.${account}`;
  const only = block !== undefined && !("accounts" in block) ? block : undefined;
  if (only === undefined ? getConfigValue(key, loaded).type === "set" : account === "default")
    throw new CliError("usage", `${only === undefined ? key : `channels.${id}`} is configured already.`);
  return { key, ...withoutUndefined({ only }) };
}
