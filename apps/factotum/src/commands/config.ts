import {
  describedForms,
  describedSchema,
  describeUnknownKey,
  formatKeyPath,
  renderConfigReference,
  getConfigValue,
  KeyPathError,
  listProblems,
  loadChannelSchemas,
  loadConfig,
  parseKeyPath,
  parseTypedValue,
  redactSecrets,
  setConfigValue,
  showProblem,
  type ConfigProblem,
  type SetConfigResult,
} from "@factotum/config";
import { configOptions } from "../compose/extensions.ts";
import { configNotes } from "../compose/config-notes.ts";
import { effectiveToken, shortTokenProblem } from "../compose/gateway-token.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { describeReload, reloadGateway } from "../rpc/reload-gateway.ts";

interface Format {
  readonly json: boolean;
}

/** Validates the file. Unknown keys are errors, as in an editor. */
export async function configValidate(context: CliContext, { json }: Format): Promise<number> {
  const result = await loadConfig(await configOptions(context.env));
  const { env, paths } = context;
  const shortToken = result.type === "loaded" ? await shortTokenProblem(result.config, { env, paths }) : undefined;
  const notes = result.type === "loaded" ? await configNotes(result, { env }) : [];
  const problems = [...result.problems, ...(shortToken === undefined ? [] : [shortToken]), ...notes];
  const errors = problems.filter(isError);
  const valid = errors.length === 0;
  const inactive = result.type === "loaded" && result.source !== "last-good" ? result.inactive : [];
  // A fresh state directory has no file, and needs none.
  const exists = !problems.some(({ type }) => type === "missing") && !(result.type === "loaded" && result.source === "defaults");
  if (json) {
    printJson(context, { path: result.path, exists, valid, problems, inactive });
  } else {
    for (const problem of problems) context.print(`${isError(problem) ? "error" : "note"}: ${showProblem(problem)}\n`);
    for (const key of inactive) context.print(`note: ${key}: this build does not have the feature yet; the key is kept\n`);
    if (!valid) context.print(`${result.path} has ${errors.length} ${errors.length === 1 ? "error" : "errors"}.\n`);
    else
      context.print(
        exists ? `${result.path} is valid.\n` : `${result.path} does not exist: the defaults hold. "factotum setup" makes it.\n`,
      );
  }
  return valid ? EXIT.ok : EXIT.configInvalid;
}

/** Prints a value, with secrets hidden. */
export async function configGet(context: CliContext, key: string | undefined, { json }: Format): Promise<number> {
  const loaded = await loadConfig(await configOptions(context.env));
  if (loaded.type === "refused") throw invalid(loaded.path, loaded.problems);
  if (loaded.source === "last-good")
    context.note(`factotum: ${loaded.path} cannot be used; this is the last good copy. See "factotum config validate".\n`);
  if (key === undefined) {
    printJson(context, redactSecrets(loaded.written));
    return EXIT.ok;
  }
  try {
    const written = getConfigValue(key, loaded);
    // The schemas are read for defaults alone.
    const result = written.type === "absent" ? getConfigValue(key, loaded, await channelSchemas(context)) : written;
    if (result.type !== "set") await refuseUnknownKey(context, key);
    if (result.type === "absent") {
      throw new CliError("failure", `${key} is not set and has no fixed default.`, {
        fix: `Set it with: factotum config set ${key} <value>`,
      });
    }
    if (json) printJson(context, { key, value: result.value, source: result.type === "set" ? "file" : "default" });
    else context.print(`${typeof result.value === "string" ? result.value : JSON.stringify(result.value, null, 2)}\n`);
    return EXIT.ok;
  } catch (error) {
    if (error instanceof KeyPathError) throw new CliError("usage", error.message, { cause: error });
    throw error;
  }
}

/** Sets a value, or removes the key without one. */
export async function configSet(
  context: CliContext,
  { key, value }: { readonly key: string; readonly value?: string },
  { json }: Format,
): Promise<number> {
  const tokenBefore = await currentToken(context);
  const result = await tryForms(context, key, value);
  if (result.type === "refused") {
    const isSyntax = result.problems.some(({ type }) => type === "syntax");
    const isMissing = result.problems.some(({ type }) => type === "missing");
    const fix = isSyntax
      ? `Repair ${result.path} by hand first.`
      : isMissing
        ? "Do that first: nothing was written."
        : `Nothing was written.${adviseWhole(key, result.problems)}`;
    throw invalid(result.path, result.problems, fix);
  }
  if (result.type === "unchanged" && value === undefined) await refuseUnknownKey(context, key);
  const reloaded = result.type === "written" ? await reloadGateway(context) : undefined;
  if (json) {
    printJson(context, reloaded === undefined ? result : { ...result, gateway: reloaded });
  } else if (result.type === "unchanged") {
    context.print(`Nothing to change: ${key} ${value === undefined ? "is not set" : "has this value already"}.\n`);
  } else {
    for (const change of result.changes) {
      const before = change.type === "added" ? "(not set)" : JSON.stringify(change.before);
      context.print(`${change.path}: ${before} → ${change.type === "removed" ? "(removed)" : JSON.stringify(change.after)}\n`);
    }
    if (!result.keptComments)
      context.note(`The file had to be rewritten without its comments; the previous version is ${result.versionPath}.\n`);
    context.note(`${describeReload(reloaded)}\n`);
    for (const note of await notesOn(context, key)) context.note(`note: ${showProblem(note)}\n`);
    if (reloaded !== undefined && reloaded.type !== "kept") for (const problem of reloaded.problems) context.note(`! ${problem}\n`);
    if ((reloaded?.type ?? "kept") !== "kept" && (await currentToken(context)) !== tokenBefore)
      context.note(
        'Clients connected with the old token were disconnected. Open the page again with the address that "factotum gateway start" prints.\n',
      );
  }
  return EXIT.ok;
}

/** How to set keys that are needed together, if another key of the same object has a problem. */
function adviseWhole(key: string, problems: readonly ConfigProblem[]): string {
  const parent = key.slice(0, Math.max(0, key.lastIndexOf(".")));
  const isBeside = ({ path }: ConfigProblem): boolean => path.startsWith(`${parent}.`) && path !== key && !path.startsWith(`${key}.`);
  return parent !== "" && problems.some(isBeside) ? ` Set them together: factotum config set ${parent} '{ … }'` : "";
}

/** The gateway's token by the file as it is now; `undefined` if there is none. */
async function currentToken({ env, paths }: CliContext): Promise<string | undefined> {
  const loaded = await loadConfig(await configOptions(env));
  return loaded.type === "loaded" ? effectiveToken(loaded.config, { env, paths }) : undefined;
}

/** What `config validate` notes on the value of a key. */
async function notesOn({ env }: CliContext, key: string): Promise<readonly ConfigProblem[]> {
  const loaded = await loadConfig(await configOptions(env));
  const notes = loaded.type === "loaded" ? await configNotes(loaded, { env }) : [];
  const place = formatKeyPath(parseKeyPath(key));
  return notes.filter(({ path }) => path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`));
}

async function channelSchemas({ env }: Pick<CliContext, "env">): ReturnType<typeof loadChannelSchemas> {
  return loadChannelSchemas((await configOptions(env)).channels);
}

async function refuseUnknownKey({ env }: CliContext, key: string): Promise<void> {
  const unknown = describeUnknownKey(key, await channelSchemas({ env }));
  if (unknown !== undefined) throw new CliError("usage", unknown, { fix: 'List every key with "factotum config reference".' });
}

/** Prints the JSON Schema of the whole file, with every channel of this build. */
export async function configSchema(context: CliContext, { forms }: { readonly forms: boolean }): Promise<number> {
  const channels = await channelSchemas(context);
  printJson(context, forms ? describedForms(channels) : describedSchema(channels));
  return EXIT.ok;
}

/** A valid JSON5 value is parsed, so that 5 is a number; where only text is allowed (a token of digits), it is used as text. */
async function tryForms(context: CliContext, key: string, text: string | undefined): Promise<SetConfigResult> {
  const options = await configOptions(context.env);
  if (text === undefined) return setConfigValue(key, undefined, options);
  const parsed = parseTypedValue(text);
  const result = await setConfigValue(key, parsed, options);
  if (result.type !== "refused" || typeof parsed !== "number") return result;
  const asText = await setConfigValue(key, text, options);
  return asText.type === "refused" ? result : asText;
}

function isError({ type }: ConfigProblem): boolean {
  return type !== "notice" && type !== "environment" && type !== "extension";
}

function invalid(path: string, problems: readonly ConfigProblem[], fix = 'See "factotum config validate".'): CliError {
  return new CliError("configInvalid", `${path}:\n${listProblems(problems)}`, { fix });
}

/** Prints every key as Markdown, with every channel of this build. */
export async function configReference(context: CliContext): Promise<number> {
  context.print(renderConfigReference(await channelSchemas(context)));
  return EXIT.ok;
}
