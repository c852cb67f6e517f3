import { z } from "zod";
import { isObject } from "../is-object.ts";
import type { LspFileChange } from "../ports.ts";
import { isInside } from "../project-files.ts";
import { TextLines } from "../text-lines.ts";
import { defineOperation, TargetShape, type ToolMaker } from "./define-tool.ts";
import { findTarget, nameAt } from "./find-target.ts";
import { isRange, pathOf, type ServerLocation } from "./locations.ts";
import type { OpenedFile } from "./open-target.ts";

/** One replacement, as the server counts. */
interface ServerEdit extends ServerLocation {
  readonly newText: string;
}

const MAX_FILES = 100;
/** What a server may write around the new name: `old: new` for a short property, `old as new` for an import. */
const MAX_AROUND_CHARS = 10;

/** Renames a symbol in all files that use it: all of them or none. */
export const createRenameTool: ToolMaker = defineOperation({
  operation: "rename",
  summary: (language) => `Rename a ${language} symbol everywhere`,
  description: "Renames a symbol in all files of the workspace that use it. Either all of them are changed or none.",
  schema: z.strictObject({ ...TargetShape, newName: z.string().min(1).max(200) }),
  traits: { effect: "write", idempotent: false, output: "trusted", network: false, parallel: false },
  inspect: ({ path, symbol, line, column, newName }) => {
    const what = symbol ?? `what is at ${line ?? "?"}:${column ?? "?"}`;
    return {
      type: "action",
      text: `Rename ${what} in ${path} to ${newName}, in all files that use it`,
      binding: { path, symbol: symbol ?? null, line: line ?? null, column: column ?? null, newName },
      // The language server finds the files when it runs.
      onceOnly: true,
    };
  },
  changedPaths: ({ path }) => [path],
  async execute(args, opened, { run, tainted, signal }) {
    const { server, file, lines, ask, access } = opened;
    const place = await findTarget(opened, args);
    const oldName = nameAt(opened, place);
    if (oldName === "") return { text: "There is no name here. Nothing was changed.", isError: true };
    const answer = await ask("textDocument/rename", {
      textDocument: { uri: server.uriOf(file.path) },
      position: lines.toServer(place, server.encoding),
      newName: args.newName,
    });
    const changes = await plan(parseEdits(answer), { oldName, newName: args.newName, workspace: run.workspace, opened });
    if (changes.length === 0) return { text: "The language server would rename nothing here. Nothing was changed.", isError: true };
    signal.throwIfAborted();
    await access.change(changes, { tainted });
    for (const change of changes) {
      server.refresh(change.file.path, change.text);
      server.fileChanged(change.file.path, "changed");
    }
    const names = changes.map((change) => change.file.shown);
    return { text: `Renamed ${oldName} to ${args.newName} in ${names.join(", ")}` };
  },
});

/** Reads a `WorkspaceEdit`. Throws for one that does more than replace text. */
function parseEdits(answer: unknown): ReadonlyMap<string, readonly ServerEdit[]> {
  const files = new Map<string, ServerEdit[]>();
  const add = (uri: unknown, list: unknown): void => {
    if (typeof uri !== "string" || !Array.isArray(list))
      throw new Error("The language server answered with what is no change. Nothing was changed.");
    for (const one of list as readonly unknown[]) {
      if (!isObject(one) || !isRange(one["range"]) || typeof one["newText"] !== "string")
        throw new Error("The language server answered with what is no change. Nothing was changed.");
      const edits = files.get(uri) ?? [];
      files.set(uri, edits);
      edits.push({ uri, range: one["range"], newText: one["newText"] });
    }
  };
  if (!isObject(answer)) return files;
  const { documentChanges, changes } = answer;
  if (Array.isArray(documentChanges))
    for (const one of documentChanges as readonly unknown[]) {
      if (!isObject(one) || "kind" in one || !isObject(one["textDocument"]))
        throw new Error("This would also create, move or delete files, which a rename may not. Nothing was changed.");
      add(one["textDocument"]["uri"], one["edits"]);
    }
  else if (isObject(changes)) for (const [uri, list] of Object.entries(changes)) add(uri, list);
  return files;
}

/** The new texts of all files. Throws if a file may not be changed, or is not as the server believes. */
async function plan(
  edits: ReadonlyMap<string, readonly ServerEdit[]>,
  {
    oldName,
    newName,
    workspace,
    opened,
  }: { readonly oldName: string; readonly newName: string; readonly workspace: string; readonly opened: OpenedFile },
): Promise<readonly LspFileChange[]> {
  const { access, server } = opened;
  if (edits.size > MAX_FILES) throw new Error(`This would change ${edits.size} files; at most ${MAX_FILES}. Nothing was changed.`);
  const changes: LspFileChange[] = [];
  for (const [uri, list] of edits) {
    const path = pathOf(uri);
    if (path === undefined || !isInside(workspace, path))
      throw new Error(
        `This would change ${path === undefined ? uri : access.show(path)}, which is outside of the workspace. Nothing was changed.`,
      );
    const file = await access.read(path);
    if (!isInside(workspace, file.path)) throw new Error(`This would change a file outside of the workspace. Nothing was changed.`);
    const lines = new TextLines(file.text);
    const pieces = list
      .map(({ range, newText }) => ({
        start: lines.offsetOf(lines.fromServer(range.start, server.encoding)),
        end: lines.offsetOf(lines.fromServer(range.end, server.encoding)),
        newText,
      }))
      .toSorted((one, other) => one.start - other.start);
    let text = "";
    let from = 0;
    for (const { start, end, newText } of pieces) {
      if (start < from || file.text.slice(start, end) !== oldName)
        throw new Error(`The language server has another version of ${file.shown}. Nothing was changed. Use edit, or try again later.`);
      if (!newText.includes(newName) || newText.length > oldName.length + newName.length + MAX_AROUND_CHARS)
        throw new Error(`The language server would write something else than ${newName} into ${file.shown}. Nothing was changed.`);
      text += file.text.slice(from, start) + newText;
      from = end;
    }
    changes.push({ file, text: text + file.text.slice(from) });
  }
  return changes.toSorted((one, other) => (one.file.path < other.file.path ? -1 : 1));
}
