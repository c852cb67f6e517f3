import { isDeepStrictEqual } from "node:util";
import type { JsonValue, SettingsAnswer, SettingsChange, SettingsService } from "@factotum/agent-contract";
import {
  changeConfig,
  describeKey,
  describeUnknownKey,
  formatKeyPath,
  getConfigValue,
  hashOf,
  KeyPathError,
  listProblems,
  literalSecrets,
  loadChannelSchemas,
  loadConfig,
  mergeEdits,
  parseKeyPath,
  parseSecret,
  redactSecrets,
  valueAt,
  type ConfigChange,
  type ConfigEdit,
  type KeyPath,
  type LoadConfigOptions,
  type SetConfigResult,
} from "@factotum/config";
import type { ConfigControl } from "@factotum/gateway";

/** Digits of a hash that the model has to repeat; two versions of a file hardly share them. */
const HASH_DIGITS = 16;

/** Keys that decide what the assistant itself may do. Only the owner changes them, at the machine or on the page. */
const OWNERS_KEYS: readonly string[] = ["tools.exec", "tools.elevated", "tools.approvals", "commands", "gateway.auth"];

const OWNERS_FIX = "Tell the owner the command: factotum config set <key> <value>";

type Reload = () => ReturnType<ConfigControl["reload"]>;
type JsonObject = Readonly<Record<string, JsonValue>>;

/** Creates the service for the configuration file of this product. `options` are read at each use: installed channels change the schema. */
export function createSettingsService({
  options,
  reload,
}: {
  readonly options: () => Promise<LoadConfigOptions>;
  readonly reload: Reload;
}): SettingsService {
  const apply = async (change: SettingsChange, isDryRun: boolean): Promise<SetConfigResult | SettingsAnswer> => {
    let refusal: string | undefined;
    const result = await changeConfig(
      (before) => {
        const edits = editsOf(change, before);
        refusal = refusalOf(edits, before);
        // Nothing is written for a change that is refused.
        return refusal === undefined ? edits : [];
      },
      { ...(await options()), base: change.base, isDryRun },
    );
    return refusal === undefined ? result : refuse(refusal);
  };
  return {
    describe: async (key) => answerKey(async () => describe(key, await options())),
    read: async (key) => answerKey(async () => read(key, await options())),
    plan: async (change) =>
      answerKey(async () => {
        const result = await apply(change, true);
        if (result.type !== "written") return failure(result);
        return done(result.changes.map(renderChange).join("\n"));
      }),
    write: async (change) =>
      answerKey(async () => {
        const result = await apply(change, false);
        if (result.type !== "written") return failure(result);
        const { type, problems, needsRestart } = await reload();
        const lines = result.changes.map(renderChange);
        if (type === "kept")
          return refuse(["It was written, but cannot be used, so the settings from before stay:", ...problems].join("\n"));
        if (needsRestart.length > 0) lines.push(`Takes effect after a restart: ${needsRestart.join(", ")}.`);
        return done(["Changed, from the next turn on:", ...lines].join("\n"));
      }),
  };
}

async function describe(key: string | undefined, { channels }: LoadConfigOptions): Promise<SettingsAnswer> {
  const schemas = await loadChannelSchemas(channels);
  const found = describeKey(key, schemas);
  if (found !== undefined) return done(JSON.stringify(found));
  return refuse(`${sentence(describeUnknownKey(key ?? "", schemas) ?? `${key}: there is no such key`)} Look up the object around it.`);
}

async function read(key: string | undefined, options: LoadConfigOptions): Promise<SettingsAnswer> {
  const loaded = await loadConfig(options);
  if (loaded.type === "refused") return refuse(`The file cannot be read:\n${listProblems(loaded.problems)}`);
  const hash = (loaded.fileHash ?? hashOf("")).slice(0, HASH_DIGITS);
  if (key === undefined) return done(JSON.stringify({ hash, value: redactSecrets(loaded.written) }));
  const schemas = await loadChannelSchemas(options.channels);
  const found = getConfigValue(key, loaded, schemas);
  if (found.type !== "set") {
    const unknown = describeUnknownKey(key, schemas);
    if (unknown !== undefined) return refuse(`${sentence(unknown)} Look up the object around it with the action schema.`);
  }
  return done(JSON.stringify({ hash, key, ...found }));
}

function editsOf({ type, key, value }: SettingsChange, before: Readonly<Record<string, unknown>>): readonly ConfigEdit[] {
  if (type === "replace" && key !== undefined) return [{ path: parseKeyPath(key), value }];
  const document = (typeof value === "object" && value !== null && !Array.isArray(value) ? value : {}) as JsonObject;
  if (type === "merge") return mergeEdits(before, document);
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(document, name));
  return [
    ...removed.map((name) => ({ path: [name], value: undefined })),
    ...Object.entries(document).map(([name, entry]) => ({ path: [name], value: entry })),
  ];
}

/** Why the assistant may not make these edits at all; `undefined` if the owner may decide. */
function refusalOf(edits: readonly ConfigEdit[], before: Readonly<Record<string, unknown>>): string | undefined {
  for (const edit of edits) {
    const key = OWNERS_KEYS.find((one) => changes(edit, parseKeyPath(one), before));
    if (key !== undefined) return `${key} was not changed: it decides what you may do, so only the owner changes it. ${OWNERS_FIX}`;
    const [secret] = literalSecrets(nest(edit));
    if (hasCommand(edit.value))
      return `${formatKeyPath(edit.path)} was not changed: a secret that a program prints runs that program on this machine, so only the owner sets one up. ${OWNERS_FIX}`;
    if (secret !== undefined)
      return `${secret} was not changed: a secret is not written in plain text. Leave the key out, or name an environment variable or a file: {env: "NAME"} or {file: "path"}.`;
  }
  return undefined;
}

/** True if a value holds a secret that a program prints, at any depth. */
function hasCommand(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return parseSecret(value)?.type === "exec" || Object.values(value).some(hasCommand);
}

/** True if an edit changes the value at `key`, or a part of it. */
function changes({ path, value }: ConfigEdit, key: KeyPath, before: Readonly<Record<string, unknown>>): boolean {
  const isShared = key.every((part, index) => index >= path.length || path[index] === part);
  if (!isShared) return false;
  if (path.length > key.length) return !isDeepStrictEqual(value, valueAt(before, path));
  return !isDeepStrictEqual(valueAt(value, key.slice(path.length)), valueAt(before, key));
}

/** A document with one edit alone. */
function nest({ path, value }: ConfigEdit): Readonly<Record<string, unknown>> {
  return path.reduceRight<unknown>((inner, part) => (typeof part === "number" ? [inner] : { [part]: inner }), value) as Readonly<
    Record<string, unknown>
  >;
}

function renderChange(change: ConfigChange): string {
  const before = change.type === "added" ? "(not set)" : JSON.stringify(change.before);
  return `${change.path}: ${before} → ${change.type === "removed" ? "(removed)" : JSON.stringify(change.after)}`;
}

function failure(result: Exclude<SetConfigResult, { type: "written" }> | SettingsAnswer): SettingsAnswer {
  if (result.type === "unchanged") return refuse("Nothing to change: the file has these values already.");
  if (!("problems" in result)) return result;
  return refuse(`Nothing was written:\n${listProblems(result.problems)}\nRead the key again with get, or look it up with schema.`);
}

/** An invalid key is an answer. */
async function answerKey(answer: () => Promise<SettingsAnswer>): Promise<SettingsAnswer> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof KeyPathError) return refuse(error.message);
    throw error;
  }
}

function done(text: string): SettingsAnswer {
  return { type: "done", text };
}

function refuse(message: string): SettingsAnswer {
  return { type: "refused", message };
}

/** A text that may end with a question, as a whole sentence. */
function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
