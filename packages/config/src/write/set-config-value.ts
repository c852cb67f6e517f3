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
import { syntaxProblem } from "../validate/locate-problems.ts";
import { validateDocument } from "../validate/validate-document.ts";
import { lockConfig } from "./config-lock.ts";
import { keepVersion } from "./config-versions.ts";
import { diffDocuments, type ConfigChange } from "./diff-documents.ts";
import { editTexts, render as renderDocument, type EditedText } from "./edit-text.ts";
import { redactText, restoreText } from "./restore-text.ts";

/** Options of `setConfigValue`. */
export interface SetConfigOptions {
  readonly env: Environment;
  readonly channels: readonly ChannelSource[];
  /** Milliseconds since the epoch, for the name of the stored version; defaults to now. */
  readonly nowMs?: number;
  /** The beginning of the hash of the text that the change was made for: if the file has another one, it is refused. Not compared by default. */
  readonly base?: string;
}

/** The result of a change. */
export type SetConfigResult =
  | {
      readonly type: "written";
      readonly path: string;
      readonly changes: readonly ConfigChange[];
      /** SHA-256 of the new text. */
      readonly hash: string;
      /** The new text with its secrets hidden, if `showsText` asks for it. */
      readonly shown?: string;
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
 * serialised; a concurrent write of an editor is never overwritten. A value that is a function is called in its turn, once the file is known to be that of
 * `base`; what it rejects with is passed on. Else it rejects only if the disk fails; then the file is unchanged.
 */
export async function setConfigValue(
  key: string,
  value: JsonValue | undefined | (() => Promise<JsonValue>),
  options: SetConfigOptions,
): Promise<SetConfigResult> {
  const keyPath = readKey(key);
  if (keyPath instanceof KeyPathError) {
    const { path } = await locateConfig(statePaths(options.env), options.env);
    return refused(path, [{ type: "invalid-value", path: "", message: keyPath.message }]);
  }
  return lockAndWrite(async (current) => {
    const written = typeof value === "function" ? await value() : value;
    return planEdits([{ path: keyPath, value: written }], current);
  }, options);
}

/** One changed value; `undefined` removes it. */
export interface ConfigEdit {
  readonly path: KeyPath;
  readonly value: JsonValue | undefined;
}

/** Options of `changeConfig`. */
export interface ChangeConfigOptions extends SetConfigOptions {
  /** Everything but the write. */
  readonly isDryRun?: boolean;
  /** The result has the new text with its secrets hidden. */
  readonly showsText?: boolean;
  /** Hides further secrets in shown texts, with the same mark. A text that was shown so can be written back. */
  readonly hide?: (text: string) => string;
}

/**
 * Makes several changes in one write, by the rules of `setConfigValue`. `editsFor` gets the document as it is; with `isDryRun` the result says what would be
 * written.
 */
export async function changeConfig(
  editsFor: (before: Document) => readonly ConfigEdit[],
  options: ChangeConfigOptions,
): Promise<SetConfigResult> {
  return lockAndWrite(async (current) => planEdits(editsFor(current.before), current), options);
}

/**
 * Replaces the whole text by the rules of `changeConfig`, also that of a file that cannot be read. Marks of hidden secrets stand for the secrets that the file has
 * at the same keys, and in lines that were not changed; any other mark is refused.
 */
export async function replaceConfigText(text: string, options: ChangeConfigOptions): Promise<SetConfigResult> {
  const { hide = asItIs } = options;
  return lockAndWrite(async (current) => planText(text, current, hide), { ...options, isReplacement: true });
}

const asItIs = (text: string): string => text;

/** The file before a change. */
interface Current {
  readonly path: string;
  /** Absent: there is no file. */
  readonly text: string | undefined;
  /** Empty if there is no file, or it cannot be read. */
  readonly before: Document;
}

/** What is to be written, or why not. */
type Plan =
  | { readonly problems: readonly ConfigProblem[] }
  | {
      readonly after: Document;
      /** The places of the edits. */
      readonly paths: readonly KeyPath[];
      readonly render: () => Promise<EditedText>;
    };

async function lockAndWrite(
  planFor: (current: Current) => Promise<Plan>,
  options: ChangeConfigOptions & { readonly isReplacement?: boolean },
): Promise<SetConfigResult> {
  const paths = statePaths(options.env);
  using lock = await lockConfig(paths);
  // Awaited here: the lock is held until it is done.
  if (lock !== undefined) return await write(planFor, paths, options);
  const { path } = await locateConfig(paths, options.env);
  return refused(path, [conflict(`${path} is being changed by another command; try again`)]);
}

function refused(path: string, problems: readonly ConfigProblem[]): SetConfigResult {
  return { type: "refused", path, problems };
}

function conflict(message: string): ConfigProblem {
  return { type: "conflict", path: "", message };
}

async function write(
  planFor: (current: Current) => Promise<Plan>,
  paths: StatePaths,
  options: ChangeConfigOptions & { readonly isReplacement?: boolean },
): Promise<SetConfigResult> {
  const location = await locateConfig(paths, options.env);
  const { path } = location;
  const refuse = (problems: readonly ConfigProblem[]): SetConfigResult => refused(path, problems);
  const missing = location.exists ? undefined : await explainMissing(paths, options.env, path);
  // A new file with this one key would replace the known good configuration.
  if (missing !== undefined && missing.type !== "new") return refuse([missing.problem]);
  const text = location.exists ? await readFile(path, "utf8") : undefined;
  const parsed = text === undefined ? { type: "document" as const, document: {} } : await parseText(text, formatOf(path));
  if (parsed.type === "syntax" && options.isReplacement !== true) {
    return refuse([{ type: "syntax", path: "", message: `${path} cannot be changed before it can be read: ${parsed.message}` }]);
  }
  if (options.base !== undefined && (options.base === "" || !hashOf(text ?? "").startsWith(options.base)))
    return refuse([conflict(`${path} has changed since it was read; read it again`)]);
  const before = parsed.type === "syntax" ? {} : parsed.document;
  const plan = await planFor({ path, text, before });
  if ("problems" in plan) return refuse(plan.problems);
  const changes = diffDocuments(before, plan.after);
  if (changes.length === 0 && options.isReplacement !== true) return { type: "unchanged", path };
  const [known, found] = [await validateDocument(before, options.channels), await validateDocument(plan.after, options.channels)];
  const blocking = newProblems(parsed.type === "syntax" ? [] : known.problems, found.problems, plan.paths);
  if (blocking.length > 0) return refuse(blocking);
  // Not before the check: an edit that keeps comments costs much more.
  const edited = await plan.render();
  if (edited.text === text) return { type: "unchanged", path };
  const { keptComments } = edited;
  const { hide = asItIs } = options;
  const shown = options.showsText === true ? hide(await redactText(edited.text, formatOf(path), plan.after)) : undefined;
  const facts = { path, changes, keptComments, hash: hashOf(edited.text), problems: found.problems, ...withoutUndefined({ shown }) };
  if (options.isDryRun === true) return { type: "written", ...facts };
  if (await isChanged(path, text)) return refuse([conflict(`${path} was changed by somebody else at the same time; try again`)]);
  const versionPath =
    text === undefined ? undefined : await keepVersion(paths, path, { text, hash: hashOf(text), nowMs: options.nowMs ?? Date.now() });
  await writePrivateFile(path, edited.text);
  return { type: "written", ...facts, ...withoutUndefined({ versionPath }) };
}

async function planEdits(edits: readonly ConfigEdit[], { path, text, before }: Current): Promise<Plan> {
  const marks = edits.flatMap((edit) => redactionMarks(edit.value, edit.path)).map(formatKeyPath);
  if (marks.length > 0) return { problems: marks.map(markProblem) };
  const steps: { readonly edit: ConfigEdit; readonly before: Document; readonly after: Document }[] = [];
  for (const edit of edits) {
    const start = steps.at(-1)?.after ?? before;
    const end = applied(start, edit.path, edit.value);
    if (end instanceof KeyPathError) return { problems: [{ type: "invalid-value", path: formatKeyPath(edit.path), message: end.message }] };
    if (diffDocuments(start, end).length > 0) steps.push({ edit, before: start, after: end });
  }
  const after = steps.at(-1)?.after ?? before;
  const render = async (): Promise<EditedText> => {
    if (text === undefined) return { text: await renderDocument(after, formatOf(path)), keptComments: true };
    return editTexts(
      text,
      formatOf(path),
      steps.map(({ edit, ...documents }) => ({ ...edit, ...documents })),
    );
  };
  return { after, paths: edits.map((edit) => edit.path), render };
}

async function planText(written: string, { path, text, before }: Current, hide: (text: string) => string): Promise<Plan> {
  const format = formatOf(path);
  const restored = await restoreText(written, { format, before, text: text ?? "", hide });
  if (restored.type === "marks") return { problems: restored.places.map(markProblem) };
  const parsed = await parseText(restored.text, format);
  if (parsed.type === "syntax") return { problems: [syntaxProblem(restored.text, path, parsed)] };
  return { after: parsed.document, paths: [], render: async () => ({ text: restored.text, keptComments: true }) };
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
function newProblems(before: readonly ConfigProblem[], after: readonly ConfigProblem[], paths: readonly KeyPath[]): ConfigProblem[] {
  const known = new Set(before.map(formatProblem));
  return after.filter((problem) => {
    if (problem.type === "notice") return false;
    return !known.has(formatProblem(problem)) || paths.some((path) => isWithin(problem.path, formatKeyPath(path)));
  });
}

function isWithin(place: string, own: string): boolean {
  const rest = place.startsWith(own) ? place.slice(own.length) : "x";
  return rest === "" || rest.startsWith(".") || rest.startsWith("[");
}
