import { chmod, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { withoutUndefined, type JsonObject, type JsonSchema, type JsonValue } from "@factotum/agent-contract";
import { isSecretPath, makeFolder, setConfigValue, writePrivateFile, type SetConfigResult } from "@factotum/config";
import { configOptions } from "../compose/extensions.ts";
import { fillForm } from "../extensions/account-form.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { accountFile } from "./account-files.ts";

/** Where an account is written. */
export interface AccountPlace {
  readonly key: string;
  /** The settings of the channel's only account so far, if they are written without a name: they move to `accounts.default`. */
  readonly only?: JsonObject;
}

/** An account with settings that the channel's own schema has accepted. */
export interface NewAccount {
  readonly channel: string;
  readonly accountId: string;
  readonly place: AccountPlace;
  readonly schema: JsonSchema;
  readonly settings: JsonObject;
  /** The hash of the text of the configuration file that they were made for: with another one they are refused. Not compared if omitted. */
  readonly base?: string;
}

/**
 * Writes an account into the configuration, and its literal secrets into private files that it refers to. If the configuration is refused, the files are as before.
 * The files are written in the turn of the change, so that they are those of the settings that are written last.
 */
export async function writeAccount(
  { paths, env }: Pick<CliContext, "paths" | "env">,
  { channel, accountId, place: { key, only }, schema, settings, base }: NewAccount,
): Promise<{ readonly result: SetConfigResult; readonly files: readonly string[] }> {
  const before = new Map<string, string | undefined>();
  const keep = async (file: string, secret: string): Promise<void> => {
    const path = join(paths.home, file);
    before.set(path, await readIfThere(path));
    await makeFolder(paths.credentialsFolder);
    await chmod(paths.credentialsFolder, 0o700);
    await writePrivateFile(path, `${secret}\n`);
  };
  let files: readonly string[] = [];
  const written = async (): Promise<JsonObject> => {
    const kept = await withSecretFiles(settings, { channel, accountId, schema, keep });
    ({ files } = kept);
    return kept.value;
  };
  const config = { ...(await configOptions(env)), ...withoutUndefined({ base }) };
  const result =
    only === undefined
      ? await setConfigValue(key, written, config)
      : await setConfigValue(`channels.${channel}`, async () => ({ accounts: { default: only, [accountId]: await written() } }), config);
  if (result.type === "refused") {
    for (const [path, text] of before) await (text === undefined ? rm(path, { force: true }) : writePrivateFile(path, text));
  }
  return { result, files };
}

interface SecretPlace {
  readonly channel: string;
  readonly accountId: string;
  readonly schema: JsonSchema;
  readonly keep: (file: string, secret: string) => Promise<void>;
}

/** Gives literal secrets to `keep`, and puts references in their place. */
async function withSecretFiles(
  settings: JsonObject,
  { channel, accountId, schema, keep }: SecretPlace,
): Promise<{ readonly value: JsonObject; readonly files: readonly string[] }> {
  const files: string[] = [];
  const secrets = new Set<string>();
  const maps = new Set<string>();
  // A map has keys of another program: their names decide.
  const isInMap = (path: readonly string[]): boolean => maps.has(path[0] ?? "") && path.length > 1 && isSecretPath(path);
  await fillForm(schema, async ({ key, isSecret, choices, type }) => {
    if (isSecret) secrets.add(key);
    if (type === "map") maps.add(key);
    // The chosen form is the one to look at.
    const chosen = key.split(".").reduce<JsonValue | undefined>((value, part) => (value as JsonObject | undefined)?.[part], settings);
    return choices === undefined ? undefined : chosen;
  });
  const visit = async (value: JsonValue, path: readonly string[]): Promise<JsonValue> => {
    const key = path.join(".");
    if (typeof value === "string" && (secrets.has(key) || isInMap(path)) && !/^\$\{\w+\}$/.test(value)) {
      const file = accountFile({ channel, accountId }, path);
      await keep(file, value);
      files.push(file);
      return { file };
    }
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const visited: [string, JsonValue][] = [];
    for (const [name, child] of Object.entries(withoutUndefined(value as JsonObject)))
      if (child !== undefined) visited.push([name, await visit(child, [...path, name])]);
    return Object.fromEntries(visited);
  };
  return { value: (await visit(settings, [])) as JsonObject, files };
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
