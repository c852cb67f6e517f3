import { readFile } from "node:fs/promises";
import { withoutUndefined } from "@factotum/agent-contract";
import type { JsonValue } from "@factotum/agent-contract";
import { formatKeyPath, KeyPathError, parseKeyPath, withValue, type KeyPath } from "../document/key-path.ts";
import { hashOf } from "../document/hash-of.ts";
import { formatOf, parseText } from "../document/parse-text.ts";
import type { Document } from "../document/plain-object.ts";
import { redactionMarks } from "../secrets/redact.ts";
import { writePrivateFile } from "../state/atomic-file.ts";
import { locateConfig } from "../state/locate-config.ts";
import { explainMissing } from "../state/missing-config.ts";
import { statePaths, type Environment, type StatePaths } from "../state/state-paths.ts";
import type { ChannelSource } from "../validate/channel-source.ts";
import { formatProblem, type ConfigProblem } from "../validate/problem.ts";
import { validateDocument } from "../validate/validate-document.ts";
import { lockConfig } from "./config-lock.ts";
import { keepVersion } from "./config-versions.ts";
import { diffDocuments, type ConfigChange } from "./diff-documents.ts";
import { editText, render } from "./edit-text.ts";

/** Options of `setConfigValue`. */
export interface SetConfigOptions {
  readonly env: Environment;
  readonly channels: readonly ChannelSource[];
  /** Milliseconds since the epoch, for the name of the stored version; defaults to now. */
  readonly nowMs?: number;
}

/** The result of a change. */
export type SetConfigResult =
  | {
      readonly type: "written";
      readonly path: string;
      readonly changes: readonly ConfigChange[];
      /** The path of the previous version; absent if there was none. */
      readonly versionPath?: string;
      /** False if the file had to be rewritten, which loses comments; the stored version has them. */
      readonly keptComments: boolean;
      /** Existing warnings of the file. */
      readonly problems: readonly ConfigProblem[];
    }
  | { readonly type: "unchanged"; readonly path: string }
  /** Nothing was written. */
  | { readonly type: "refused"; readonly path: string; readonly problems: readonly ConfigProblem[] };

/**
 * Sets one value in the configuration file, or removes it with `undefined`. The result must fit the schema: a change that leaves or causes a problem at its own
 * key, or causes one elsewhere, is refused. The write is atomic (mode 600) and the previous version is kept. Concurrent changes, by this process or others, are
 * serialised; a concurrent write of an editor is never overwritten. Rejects only if the disk fails; then the file is unchanged.
 */
export async function setConfigValue(key: string, value: JsonValue | undefined, options: SetConfigOptions): Promise<SetConfigResult> {
  const paths = statePaths(options.env);
  using lock = await lockConfig(paths);
  // Awaited here: the lock is held until it is done.
  if (lock !== undefined) return await change(key, value, paths, options);
  const { path } = await locateConfig(paths, options.env);
  return {
    type: "refused",
    path,
    problems: [{ type: "invalid-value", path: "", message: `${path} is being changed by another command; try again` }],
  };
}

async function change(key: string, value: JsonValue | undefined, paths: StatePaths, options: SetConfigOptions): Promise<SetConfigResult> {
  const location = await locateConfig(paths, options.env);
  const { path } = location;
  const refuse = (problems: readonly ConfigProblem[]): SetConfigResult => ({ type: "refused", path, problems });
  const keyPath = readKey(key);
  if (keyPath instanceof KeyPathError) return refuse([{ type: "invalid-value", path: "", message: keyPath.message }]);
  const marks = redactionMarks(value, keyPath);
  if (marks.length > 0) return refuse(marks.map(markProblem));
  const missing = location.exists ? undefined : await explainMissing(paths, options.env, path);
  // A new file with this one key would replace the known good configuration.
  if (missing !== undefined && missing.type !== "new") return refuse([missing.problem]);
  const text = location.exists ? await readFile(path, "utf8") : undefined;
  const parsed = text === undefined ? { type: "document" as const, document: {} } : await parseText(text, formatOf(path));
  if (parsed.type === "syntax") {
    return refuse([{ type: "syntax", path: "", message: `${path} cannot be changed before it can be read: ${parsed.message}` }]);
  }
  const before = parsed.document;
  const after = applied(before, keyPath, value);
  if (after instanceof KeyPathError) return refuse([{ type: "invalid-value", path: formatKeyPath(keyPath), message: after.message }]);
  const changes = diffDocuments(before, after);
  if (changes.length === 0) return { type: "unchanged", path };
  const [known, found] = [await validateDocument(before, options.channels), await validateDocument(after, options.channels)];
  const blocking = newProblems(known.problems, found.problems, keyPath);
  if (blocking.length > 0) return refuse(blocking);
  const edited =
    text === undefined
      ? { text: await render(after, formatOf(path)), keptComments: true }
      : await editText(text, formatOf(path), { path: keyPath, value, before, after });
  if (await isChanged(path, text)) {
    return refuse([{ type: "invalid-value", path: "", message: `${path} was changed by somebody else at the same time; try again` }]);
  }
  const versionPath =
    text === undefined ? undefined : await keepVersion(paths, path, { text, hash: hashOf(text), nowMs: options.nowMs ?? Date.now() });
  await writePrivateFile(path, edited.text);
  return {
    type: "written",
    path,
    changes,
    ...withoutUndefined({ versionPath }),
    keptComments: edited.keptComments,
    problems: found.problems,
  };
}

/** True if a writer that ignores the lock changed, created or removed the file since it was read. */
async function isChanged(path: string, before: string | undefined): Promise<boolean> {
  try {
    return (await readFile(path, "utf8")) !== before;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return before !== undefined;
    throw error;
  }
}

function readKey(key: string): KeyPath | KeyPathError {
  try {
    return parseKeyPath(key);
  } catch (error) {
    if (error instanceof KeyPathError) return error;
    throw error;
  }
}

function applied(document: Document, path: KeyPath, value: unknown): Document | KeyPathError {
  try {
    return withValue(document, path, value);
  } catch (error) {
    if (error instanceof KeyPathError) return error;
    throw error;
  }
}

function markProblem(path: string): ConfigProblem {
  return {
    type: "invalid-value",
    path,
    message: "this is the mark of a hidden secret, not a value; write the secret, or leave the key out",
  };
}

/** Problems that the change causes, and those that remain at its own key. Existing ones elsewhere do not prevent a repair. */
function newProblems(before: readonly ConfigProblem[], after: readonly ConfigProblem[], path: KeyPath): ConfigProblem[] {
  const known = new Set(before.map(formatProblem));
  const own = formatKeyPath(path);
  return after.filter((problem) => {
    if (problem.type === "notice") return false;
    const rest = problem.path.startsWith(own) ? problem.path.slice(own.length) : "x";
    return !known.has(formatProblem(problem)) || rest === "" || rest.startsWith(".") || rest.startsWith("[");
  });
}
