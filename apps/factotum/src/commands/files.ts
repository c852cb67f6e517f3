import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import { plural, withoutUndefined } from "@factotum/agent-contract";
import {
  MAX_KNOWLEDGE_FILE_BYTES,
  MAX_UPLOAD_PART_BYTES,
  MAX_WORKSPACE_FILE_CHARS,
  WORKSPACE_FILES,
  type KnowledgeFile,
  type WorkspaceFile,
  type WorkspaceFileName,
} from "@factotum/protocol";
import { connectGateway, requestError } from "../rpc/connect-gateway.ts";
import { requestGateway } from "../rpc/request-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { relativeTime } from "../runtime/relative-time.ts";
import { renderTable } from "../runtime/render-table.ts";
import { describeWrite, readNewText, readSource, type WriteOptions } from "./write-text.ts";

/** Whose files, and how the result is printed. */
export interface FilesOptions {
  readonly agentId?: string;
  readonly json: boolean;
}

/** Lists the files that say who an agent is, and its knowledge files. */
export async function filesList(cli: CliContext, { json, ...params }: FilesOptions): Promise<number> {
  const found = await requestGateway(cli, "files.list", params);
  if (json) {
    printJson(cli, found);
    return EXIT.ok;
  }
  const rows = [
    ...found.files.map((file) => [file.path, stateOf(file), file.versions === 0 ? "" : plural(file.versions, "version")]),
    ...found.knowledge.map(({ name, sizeBytes }) => [`knowledge/${name}`, plural(sizeBytes, "byte"), ""]),
  ];
  cli.print(terminalText(renderTable(["FILE", "STATE", "HISTORY"], rows)));
  return EXIT.ok;
}

function stateOf({ isThere, promptTokens, isCut }: WorkspaceFile): string {
  if (!isThere) return "not there";
  if (promptTokens === 0) return "in no prompt";
  return `${plural(promptTokens, "token")} in every prompt${isCut ? ", cut" : ""}`;
}

/** Prints a file, or one of its versions. */
export async function filesShow(
  cli: CliContext,
  { json, path: named, id, ...params }: FilesOptions & { readonly path: string; readonly id?: string },
): Promise<number> {
  const path = nameOf(named);
  const found =
    id === undefined
      ? await requestGateway(cli, "files.read", { ...params, path })
      : await requestGateway(cli, "files.version", { ...params, path, id });
  if (json) printJson(cli, found);
  else cli.print(terminalText(found.text));
  return EXIT.ok;
}

/** Writes a file of the workspace. */
export async function filesWrite(
  cli: CliContext,
  { json, path: named, source, baseHash, ...params }: FilesOptions & WriteOptions & { readonly path: string },
): Promise<number> {
  const path = nameOf(named);
  const text = await readNewText(cli, { maxChars: MAX_WORKSPACE_FILE_CHARS, ...withoutUndefined({ source }) });
  const before = await requestGateway(cli, "files.read", { ...params, path });
  const written = await requestGateway(cli, "files.write", { ...params, path, text, baseHash: baseHash ?? before.baseHash });
  if (json) printJson(cli, written);
  else cli.print(`${describeWrite(path, { hadText: before.text !== "" })} New conversations begin with it.\n`);
  return EXIT.ok;
}

/** Lists what a file held before its changes. */
export async function filesVersions(
  cli: CliContext,
  { json, path: named, ...params }: FilesOptions & { readonly path: string },
): Promise<number> {
  const path = nameOf(named);
  const found = await requestGateway(cli, "files.versions", { ...params, path });
  if (json) {
    printJson(cli, found);
    return EXIT.ok;
  }
  for (const { id, atMs, sizeBytes, untrusted } of found.versions) {
    const marks = untrusted ? ", may hold text of others" : "";
    cli.print(`${id}  (${plural(sizeBytes, "byte")}, until ${relativeTime(atMs, Date.now())}${marks})\n`);
  }
  if (found.versions.length === 0) cli.note(`factotum: ${path} has no versions\n`);
  return EXIT.ok;
}

/** Gives a file back what it held. */
export async function filesRestore(
  cli: CliContext,
  { json, path: named, id, ...params }: FilesOptions & { readonly path: string; readonly id: string },
): Promise<number> {
  const path = nameOf(named);
  const restored = await requestGateway(cli, "files.restore", { ...params, path, id });
  if (json) printJson(cli, restored);
  else cli.print(`${path} is as it was. What it held until now is its newest version.\n`);
  return EXIT.ok;
}

/** Puts files of this machine into the agent's folder `knowledge`. */
export async function filesAdd(
  cli: CliContext,
  { json, sources, ...params }: FilesOptions & { readonly sources: readonly string[] },
): Promise<number> {
  using gateway = await connectGateway(cli);
  const added: KnowledgeFile[] = [];
  for (const source of sources) {
    const bytes = await readSource(source, {
      maxBytes: MAX_KNOWLEDGE_FILE_BYTES,
      limit: `${MAX_KNOWLEDGE_FILE_BYTES / 1_000_000} MB`,
    });
    const common = { ...params, name: basename(source), uploadId: randomUUID(), sizeBytes: bytes.length };
    for (let offset = 0; offset === 0 || offset < bytes.length; offset += MAX_UPLOAD_PART_BYTES) {
      const data = Buffer.from(bytes.subarray(offset, offset + MAX_UPLOAD_PART_BYTES)).toString("base64");
      try {
        const part = await gateway.client.request("files.add", { ...common, offset, data }, { signal: cli.signal });
        if (part.added !== undefined) added.push(part.added);
      } catch (error) {
        throw requestError(error);
      }
    }
  }
  if (json) printJson(cli, { added });
  else for (const { name } of added) cli.print(terminalText(`knowledge/${name} is there. The assistant can read it.\n`));
  return EXIT.ok;
}

/** Removes a knowledge file. */
export async function filesRemove(
  cli: CliContext,
  { json, name: named, ...params }: FilesOptions & { readonly name: string },
): Promise<number> {
  const name = named.startsWith("knowledge/") ? named.slice("knowledge/".length) : named;
  const removed = await requestGateway(cli, "files.remove", { ...params, name });
  if (json) printJson(cli, removed);
  else cli.print(terminalText(`knowledge/${removed.name} is removed.\n`));
  return EXIT.ok;
}

function nameOf(named: string): WorkspaceFileName {
  const found = WORKSPACE_FILES.find((one) => one.toLowerCase() === named.toLowerCase());
  if (found !== undefined) return found;
  throw new CliError("usage", `${named} is no file of these commands.`, { fix: `The files are: ${WORKSPACE_FILES.join(", ")}.` });
}
