import { readFile } from "node:fs/promises";
import { withoutUndefined } from "@factotum/agent-contract";
import type { JsonValue } from "@factotum/agent-contract";
import {
  changeConfig,
  describedForms,
  formatOf,
  formatProblem,
  hashOf,
  isNestedDeeper,
  loadChannelSchemas,
  loadConfig,
  locateConfig,
  mergeEdits,
  parseText,
  redactConfig,
  redactSecrets,
  redactText,
  REDACTED,
  replaceConfigText,
  restartKeys,
  restoreSecrets,
  statePaths,
  type ConfigProblem,
  type LoadConfigOptions,
  type SetConfigResult,
} from "@factotum/config";
import { RpcError, type ConfigControl, type ConfigService } from "@factotum/gateway";
import type { ConfigFinding, ConfigPatchResult, ConfigView } from "@factotum/protocol";

/** The dependencies of the service. */
export interface ConfigServiceOptions {
  /** Read at each use: installed channels change the schema. */
  readonly options: () => Promise<LoadConfigOptions>;
  /** Hides the secrets that this process knows, in addition to those of the file. Not short ones: they may be ordinary words of the file, and hide its keys. */
  readonly hide: (text: string) => string;
  /** Applies a written file; absent in a command without a gateway. */
  readonly control?: Pick<ConfigControl, "reload" | "report">;
}

/** The configuration file for clients and for commands. */
export function createConfigService({ options, hide, control }: ConfigServiceOptions): ConfigService {
  return {
    schema: async () => describedForms(await loadChannelSchemas((await options()).channels)) as Readonly<Record<string, unknown>>,
    view: async () => view(await options(), { hide, needsRestart: control?.report().needsRestart ?? [] }),
    patch: async ({ baseHash, patch, text, dryRun = false }) => {
      if (patch !== undefined) checkSize(patch);
      const how = { ...(await options()), base: baseHash, isDryRun: dryRun, showsText: true, hide };
      const result = text === undefined ? await merge(patch ?? {}, how) : await replaceConfigText(text, how);
      if (result.type === "refused") {
        const isConflict = result.problems.some(({ type }) => type === "conflict");
        const problems = result.problems.map((problem) => toFinding(problem, hide));
        throw new RpcError(isConflict ? "conflict" : "invalid-request", hide(result.problems.map(formatProblem).join("\n")), { problems });
      }
      return applied(result, { baseHash, dryRun }, { hide, ...withoutUndefined({ control }) });
    },
  };
}

/** Each changed key is an edit of its own, which keeps the comments around it. */
const MAX_PATCH_KEYS = 500;
/** No setting is nested half as deep. */
const MAX_PATCH_DEPTH = 32;

/** Refuses a patch that would take long to apply, before anything calls itself for each of its levels. A list is one value: it is replaced as a whole. */
function checkSize(patch: Readonly<Record<string, unknown>>): void {
  if (isNestedDeeper(patch, MAX_PATCH_DEPTH))
    throw new RpcError("invalid-request", `A patch has objects and lists in each other ${MAX_PATCH_DEPTH} times at most.`);
  if (keysOf(patch) > MAX_PATCH_KEYS)
    throw new RpcError("invalid-request", `A patch has ${MAX_PATCH_KEYS} keys at most. Send the whole text instead.`);
}

function keysOf(value: unknown): number {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return 0;
  return Object.values(value).reduce<number>((sum, one) => sum + 1 + keysOf(one), 0);
}

async function merge(patch: Readonly<Record<string, unknown>>, how: Parameters<typeof changeConfig>[1]): Promise<SetConfigResult> {
  return changeConfig(
    (before) =>
      mergeEdits(before, patch).map(({ path, value }) => ({ path, value: restoreSecrets(value, before, path) as JsonValue | undefined })),
    how,
  );
}

async function applied(
  result: Exclude<SetConfigResult, { type: "refused" }>,
  { baseHash, dryRun }: { readonly baseHash: string; readonly dryRun: boolean },
  { hide, control }: Pick<ConfigServiceOptions, "hide" | "control">,
): Promise<ConfigPatchResult> {
  const policy = (): readonly string[] => control?.report().commandPolicy ?? [];
  if (result.type === "unchanged")
    return { type: "unchanged", differences: [], baseHash, keptComments: true, needsRestart: [], policy: policy(), problems: [] };
  const { changes: differences, keptComments, hash, shown: text, problems } = result;
  const common = { differences, keptComments, ...withoutUndefined({ text }) };
  if (dryRun)
    return {
      type: "planned",
      ...common,
      baseHash,
      needsRestart: restartKeys(differences),
      policy: policy(),
      problems: problems.map(formatProblem).map(hide),
    };
  const reloaded = await control?.reload();
  return {
    type: reloaded?.type === "kept" ? "kept" : "applied",
    ...common,
    baseHash: hash,
    needsRestart: reloaded?.needsRestart ?? [],
    policy: policy(),
    problems: (reloaded?.problems ?? problems.map(formatProblem)).map(hide),
  };
}

async function view(
  options: LoadConfigOptions,
  { hide, needsRestart }: Pick<ConfigServiceOptions, "hide"> & { readonly needsRestart: readonly string[] },
): Promise<ConfigView> {
  const { loaded, raw } = await readOnce(options);
  const format = formatOf(loaded.path);
  const text = raw === undefined || raw === "" ? raw : await shownText(raw, format, hide);
  const shown = (value: unknown): Readonly<Record<string, unknown>> => hiddenIn(value, hide) as Readonly<Record<string, unknown>>;
  return {
    path: loaded.path,
    source: loaded.type === "refused" ? "refused" : loaded.source,
    format,
    baseHash: hashOf(raw ?? ""),
    ...withoutUndefined({ text }),
    mark: REDACTED,
    written: loaded.type === "refused" ? {} : shown(redactSecrets(loaded.written)),
    effective: loaded.type === "refused" ? {} : shown(redactConfig(loaded.config)),
    problems: loaded.problems.map((problem) => toFinding(problem, hide)),
    inactive: loaded.type === "refused" ? [] : loaded.inactive,
    needsRestart,
  };
}

/** How often a file that is being written is read again. */
const MAX_READS = 5;

type Loaded = Awaited<ReturnType<typeof loadConfig>>;

/** The file's text with what it means: both of one moment, also while it is being written. */
async function readOnce(options: LoadConfigOptions): Promise<{ readonly loaded: Loaded; readonly raw: string | undefined }> {
  for (let reads = 1; ; reads += 1) {
    const loaded = await loadConfig(options);
    const raw = await readRaw(options);
    const isSame = raw === undefined || (loaded.fileHash ?? hashOf("")) === hashOf(raw);
    if (isSame || reads === MAX_READS) return { loaded, raw };
  }
}

/** `undefined` for a text that cannot be parsed: its secrets cannot be found. */
async function shownText(raw: string, format: ConfigView["format"], hide: ConfigServiceOptions["hide"]): Promise<string | undefined> {
  const parsed = await parseText(raw, format);
  return parsed.type === "document" ? hide(await redactText(raw, format, parsed.document)) : undefined;
}

/** A copy without the secrets that this process knows, in any text. */
function hiddenIn(value: unknown, hide: ConfigServiceOptions["hide"]): unknown {
  if (typeof value === "string") return hide(value);
  if (Array.isArray(value)) return value.map((entry) => hiddenIn(entry, hide));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, hiddenIn(entry, hide)]));
}

/** The text of the file, empty without one; `undefined` if it cannot be read, which the problems say. */
async function readRaw({ env }: LoadConfigOptions): Promise<string | undefined> {
  const { path, exists } = await locateConfig(statePaths(env), env);
  if (!exists) return "";
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (["EACCES", "EISDIR", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

function toFinding({ type, path, message, position }: ConfigProblem, hide: (text: string) => string): ConfigFinding {
  return { type, path, message: hide(message), ...withoutUndefined({ line: position?.line, column: position?.column }) };
}
