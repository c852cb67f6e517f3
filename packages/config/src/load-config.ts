import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { withoutUndefined } from "@factotum/agent-contract";
import { hashOf } from "./document/hash-of.ts";
import { formatOf, parseText } from "./document/parse-text.ts";
import type { FactotumConfig } from "./factotum-config.ts";
import { inactiveKeys } from "./inactive-keys.ts";
import type { PackageProvider } from "./package-providers.ts";
import { replacedServers, type PackageServers } from "./package-servers.ts";
import { resolveConfig, type HostFacts } from "./resolve-config.ts";
import { readLastGood, writeLastGood, type LastGoodCopy } from "./state/last-good.ts";
import { locateConfig } from "./state/locate-config.ts";
import { explainMissing } from "./state/missing-config.ts";
import { statePaths, type Environment, type StatePaths } from "./state/state-paths.ts";
import type { ChannelSource } from "./validate/channel-source.ts";
import { locateProblems, syntaxProblem } from "./validate/locate-problems.ts";
import { isFatal, type ConfigProblem } from "./validate/problem.ts";
import { validateDocument, type ValidDocument } from "./validate/validate-document.ts";

/** Options of `loadConfig`. */
export interface LoadConfigOptions {
  readonly env: Environment;
  readonly channels: readonly ChannelSource[];
  /** Problems of the caller's own, reported with those of the file. */
  readonly notices?: readonly ConfigProblem[];
  /** Folders of skills that installed packages bring, absolute; appended to `skills.load.extraDirs`. */
  readonly skillFolders?: readonly string[];
  /** Providers of models that installed packages bring; added to `models.providers`. */
  readonly packageProviders?: readonly PackageProvider[];
  /** Servers that installed packages bring; added to `mcp.servers` and `lsp.servers`. */
  readonly packageServers?: PackageServers;
  /** Defaults to this machine. */
  readonly host?: HostFacts;
}

/** A usable configuration. */
export interface LoadedConfig {
  readonly type: "loaded";
  readonly config: FactotumConfig;
  readonly paths: StatePaths;
  /** The path of the configuration file. */
  readonly path: string;
  /** `last-good`: the file is bad or gone, and its last good copy is in use. `defaults`: there is no file, and none is missing. */
  readonly source: "file" | "defaults" | "last-good";
  /** Errors and warnings of the file; with `last-good`, why the file is not used. */
  readonly problems: readonly ConfigProblem[];
  /** Configured keys whose feature this build does not have yet. */
  readonly inactive: readonly string[];
  /** SHA-256 of the file on disk; absent if it is missing or unreadable. */
  readonly fileHash?: string;
  /** SHA-256 of the running configuration: the file, the last good copy, or empty text. */
  readonly runningHash: string;
  /** The running document as written, with old forms renamed and unknown keys removed. */
  readonly written: ValidDocument["written"];
}

/** Thrown without a usable configuration: the file is bad or missing and no earlier one is known, or the file sets limits that this build does not enforce. */
export interface RefusedConfig {
  readonly type: "refused";
  readonly paths: StatePaths;
  readonly path: string;
  readonly problems: readonly ConfigProblem[];
  readonly fileHash?: string;
}

/**
 * Loads the configuration. A bad file is replaced by its last good copy; without a copy it is refused: there is no fallback to the defaults. A missing file
 * means the defaults if nothing has run here before, else the same as a bad one. A file with an `unenforced` problem is refused even if there is a copy: an
 * earlier file may allow what this one forbids. Rejects only if the state directory itself cannot be read.
 */
export async function loadConfig(options: LoadConfigOptions): Promise<LoadedConfig | RefusedConfig> {
  const paths = statePaths(options.env);
  const location = await locateConfig(paths, options.env);
  const { path } = location;
  const ignored = location.ignored.map((other): ConfigProblem => {
    return { type: "notice", path: "", message: `${other} is not read, because ${path} is there; remove one of them` };
  });
  const notices = [...(options.notices ?? []), ...ignored];
  if (!location.exists) return withoutFile(notices, { options, paths, path });
  const file = await readFileText(path);
  if ("problem" in file) return fallBack([...notices, file.problem], { options, paths, path });
  const fileHash = hashOf(file.text);
  const reading = await readConfigText(file.text, path, options.channels);
  if (reading.valid === undefined) return fallBack([...notices, ...reading.problems], { options, paths, path, fileHash });
  return finish(reading, { options, paths, path, source: "file", notices, fileHash });
}

/** Stores a configuration from the file as the last good copy. Call it once the gateway runs with it. */
export async function rememberConfig(loaded: LoadedConfig): Promise<void> {
  if (loaded.source !== "file") return;
  const text = await readFile(loaded.path, "utf8");
  // The file may have changed since, and an untested file is not known to be good.
  if (hashOf(text) === loaded.runningHash) await writeLastGood(loaded.paths, loaded.path, text);
}

/** A text and the result of its validation. */
export interface ConfigReading {
  readonly text: string;
  readonly problems: readonly ConfigProblem[];
  readonly valid?: ValidDocument;
}

/** Validates one text as the file at `path`. */
export async function readConfigText(text: string, path: string, channels: readonly ChannelSource[]): Promise<ConfigReading> {
  const parsed = await parseText(text, formatOf(path));
  if (parsed.type === "syntax") return { text, problems: [syntaxProblem(text, path, parsed)] };
  const { problems, ...rest } = await validateDocument(parsed.document, channels);
  return { text, ...rest, problems: await locateProblems(problems, { text, format: formatOf(path), document: parsed.document }) };
}

interface Place {
  readonly options: LoadConfigOptions;
  readonly paths: StatePaths;
  readonly path: string;
  readonly fileHash?: string;
}

async function withoutFile(notices: readonly ConfigProblem[], place: Place): Promise<LoadedConfig | RefusedConfig> {
  const { options, paths, path } = place;
  const missing = await explainMissing(paths, options.env, path);
  switch (missing.type) {
    case "new": {
      const empty = await validateDocument({}, options.channels);
      const problems = missing.problem === undefined ? notices : [...notices, missing.problem];
      return finish({ text: "", ...empty }, { ...place, source: "defaults", notices: problems });
    }
    case "copied":
      return useCopy(missing.copy, [...notices, missing.problem], { ...place, path: missing.path });
    case "unclear":
      return refusal([...notices, missing.problem], place);
  }
}

async function fallBack(problems: readonly ConfigProblem[], place: Place): Promise<LoadedConfig | RefusedConfig> {
  if (problems.some(({ type }) => type === "unenforced")) return refusal(problems, place);
  const copy = await readLastGood(place.paths, place.path);
  return copy === undefined ? refusal(problems, place) : useCopy(copy, problems, place);
}

function refusal(problems: readonly ConfigProblem[], { paths, path, fileHash }: Place): RefusedConfig {
  return { type: "refused", paths, path, problems, ...withoutUndefined({ fileHash }) };
}

async function useCopy(copy: LastGoodCopy, problems: readonly ConfigProblem[], place: Place): Promise<LoadedConfig | RefusedConfig> {
  const { options } = place;
  const reading = await readConfigText(copy.text, copy.path, options.channels);
  if (reading.valid === undefined) {
    const notice: ConfigProblem = {
      type: "notice",
      path: "",
      message: `the last good copy, ${copy.path}, does not fit this version either`,
    };
    return refusal([...problems, notice], place);
  }
  const fileProblems = problems.filter((problem) => isFatal(problem) || problem.type === "notice" || problem.type === "extension");
  return finish({ text: reading.text, valid: reading.valid, problems: [] }, { ...place, source: "last-good", notices: fileProblems });
}

interface Finish extends Place {
  readonly source: LoadedConfig["source"];
  readonly notices: readonly ConfigProblem[];
}

function finish(reading: ConfigReading, place: Finish): LoadedConfig | RefusedConfig {
  const { options, paths, path, source, notices, fileHash } = place;
  const { valid } = reading;
  if (valid === undefined) return { type: "refused", paths, path, problems: [...notices, ...reading.problems] };
  const host = options.host ?? thisMachine();
  const { skillFolders = [], packageProviders = [], packageServers = { mcp: [], lsp: [] } } = options;
  const config = resolveConfig(valid, { paths, host, skillFolders, packageProviders, packageServers });
  const port = portFrom(options.env);
  return {
    type: "loaded",
    config: port.value === undefined ? config : { ...config, gateway: { ...config.gateway, port: port.value } },
    paths,
    path,
    source,
    problems: [...notices, ...reading.problems, ...replacedServers(valid.parsed, packageServers), ...port.problems],
    inactive: inactiveKeys(valid.written),
    ...withoutUndefined({ fileHash }),
    runningHash: hashOf(reading.text),
    written: valid.written,
  };
}

function portFrom(env: Environment): { readonly value?: number; readonly problems: readonly ConfigProblem[] } {
  const text = env["FACTOTUM_PORT"]?.trim();
  if (text === undefined || text === "") return { problems: [] };
  const value = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (value >= 0 && value <= 65_535) return { value, problems: [] };
  return { problems: [{ type: "environment", path: "FACTOTUM_PORT", message: "a port from 0 to 65535 is expected; it is ignored" }] };
}

async function readFileText(path: string): Promise<{ readonly text: string } | { readonly problem: ConfigProblem }> {
  try {
    return { text: await readFile(path, "utf8") };
  } catch (error) {
    return {
      problem: { type: "syntax", path: "", message: `${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})` },
    };
  }
}

function thisMachine(): HostFacts {
  return { cores: availableParallelism(), timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone };
}
