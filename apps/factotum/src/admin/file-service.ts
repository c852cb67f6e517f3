import { realpath, stat } from "node:fs/promises";
import type { Clock } from "@factotum/agent-contract";
import { withoutUndefined } from "@factotum/agent-contract";
import { estimateTokens, planBootstrap, type BootstrapFile } from "@factotum/agent-core";
import { FolderError, hashOf, makeFolder, REDACTED, type FactotumConfig, type ResolvedAgent } from "@factotum/config";
import { RpcError, type FileService } from "@factotum/gateway";
import type { NoteVersions } from "@factotum/memory";
import { MAX_WORKSPACE_FILE_CHARS, WORKSPACE_FILES, type WorkspaceFile, type WorkspaceFileName } from "@factotum/protocol";
import { FileAccessError, type FileAccess, type FileVersion, type RunFiles } from "@factotum/tools";
import { addKnowledge, knowledgeName, listKnowledge, removeKnowledge } from "./knowledge-folder.ts";
import { ownersRun } from "./note-history.ts";
import { changedSince } from "./changed-since.ts";
import { PendingUploads } from "./pending-uploads.ts";
import { restoreMarks, unknownMark } from "./restore-marks.ts";

/** Not more is read of a file: it could not be shown. */
const MAX_BYTES = 1024 * 1024;

interface FileServiceParts {
  /** Changes of the owner: keeps versions of what it changes. */
  readonly files: FileAccess;
  readonly versions: NoteVersions;
  readonly currentConfig: () => FactotumConfig;
  readonly clock: Clock;
  /** Hides secrets. */
  readonly secrets: { readonly toolOutput: { ready(): Promise<void>; redact(text: string): string } };
}

interface NewText {
  readonly agentId: string;
  readonly path: WorkspaceFileName;
  readonly text: string;
  /** It may be that of others (R23). */
  readonly tainted?: boolean;
}

/** A file as it is now. */
interface ReadText {
  readonly text: string;
  readonly version: FileVersion | "absent";
}

const ABSENT: ReadText = { text: "", version: "absent" };

/** The workspace files of agents for clients, read and written by the rules of the file tools: nothing outside the workspace, every change has its version, and secrets are hidden. */
export function createFileService({ files, versions, currentConfig, clock, secrets }: FileServiceParts): FileService {
  const uploads = new PendingUploads(clock);
  const open = async (agentId: string): Promise<{ readonly agent: ResolvedAgent; readonly access: RunFiles }> => {
    const agent = currentConfig().agents.find(({ id }) => id === agentId);
    if (agent === undefined) throw new RpcError("not-found", `There is no agent "${agentId}".`);
    await makeFolder(agent.workspace);
    return { agent, access: await files.forRun(ownersRun(agentId, await realpath(agent.workspace))) };
  };
  const write = async (
    { agentId, path, text, tainted = false }: NewText,
    { access, before }: { readonly access: RunFiles; readonly before: ReadText },
  ) => {
    if (before.version === "absent" || before.text !== text)
      await access.change([{ type: "write", path, data: text, unchangedSince: before.version }], { tainted });
    return { agentId, path, baseHash: hashOf(text) };
  };
  const shownText = async (text: string): Promise<string> => {
    await secrets.toolOutput.ready();
    return secrets.toolOutput.redact(text);
  };
  return {
    list: ({ agentId, contextWindow }) =>
      asRpcErrors(async () => {
        const { agent, access } = await open(agentId);
        return {
          agentId,
          workspace: agent.workspace,
          files: await describeFiles(agent, { access, versions, contextWindow }),
          keepsVersions: currentConfig().tools.checkpoints,
          knowledge: await listKnowledge(access),
        };
      }),
    read: ({ agentId, path }) =>
      asRpcErrors(async () => {
        const { text } = await readText((await open(agentId)).access, path);
        if (text.length > MAX_WORKSPACE_FILE_CHARS) throw tooLong(path);
        return { agentId, path, text: await shownText(text), baseHash: hashOf(text) };
      }),
    write: ({ agentId, path, text, baseHash }) =>
      asRpcErrors(async () => {
        const { access } = await open(agentId);
        const before = await readText(access, path);
        if (hashOf(before.text) !== baseHash) throw changedSince(path);
        const restored = restoreMarks(text, { text: before.text, shown: await shownText(before.text), mark: REDACTED });
        if (restored.type === "mark") throw new RpcError("invalid-request", unknownMark(restored.line));
        return write({ agentId, path, text: restored.text }, { access, before });
      }),
    versions: async ({ agentId, path }) => ({ agentId, path, versions: await versions.list(agentId, path) }),
    version: async ({ agentId, path, id }) => ({ text: await shownText((await versionOf({ agentId, path, id }, versions)).text) }),
    restore: ({ agentId, path, id }) =>
      asRpcErrors(async () => {
        const { text, untrusted: tainted } = await versionOf({ agentId, path, id }, versions);
        const { access } = await open(agentId);
        return write({ agentId, path, text, tainted }, { access, before: await readText(access, path) });
      }),
    add: ({ agentId, name: given, uploadId, sizeBytes, offset, data }) =>
      asRpcErrors(async () => {
        const name = knowledgeName(given);
        const part = { sizeBytes, offset, bytes: Buffer.from(data, "base64") };
        const { receivedBytes, whole } = uploads.add(JSON.stringify([agentId, name, uploadId]), part);
        const added = whole === undefined ? undefined : await addKnowledge((await open(agentId)).access, name, whole);
        return { agentId, receivedBytes, ...withoutUndefined({ added }) };
      }),
    remove: ({ agentId, name }) =>
      asRpcErrors(async () => {
        await removeKnowledge((await open(agentId)).access, name);
        return { agentId, name };
      }),
  };
}

async function describeFiles(
  { id: agentId, workspace, skipBootstrap, bootstrapMaxChars, bootstrapTotalMaxChars }: ResolvedAgent,
  { access, versions, contextWindow }: { readonly access: RunFiles; readonly versions: NoteVersions; readonly contextWindow: number },
): Promise<readonly WorkspaceFile[]> {
  const found = await Promise.all(WORKSPACE_FILES.map(async (path) => ({ path, read: await readIfReadable(access, path) })));
  const shown: readonly BootstrapFile[] = found.map(({ path, read }) => ({
    name: path,
    path,
    content: read.version === "absent" ? undefined : read.text,
  }));
  const limits = { maxFileChars: bootstrapMaxChars, maxTotalChars: bootstrapTotalMaxChars, contextWindow, run: "user" } as const;
  const { projectContext, truncations } = planBootstrap(skipBootstrap ? [] : shown, limits);
  return Promise.all(
    found.map(async ({ path }): Promise<WorkspaceFile> => {
      const planned = projectContext.find((one) => one.path === path);
      const stats = await stat(`${workspace}/${path}`).catch(() => undefined);
      return {
        path,
        isThere: stats !== undefined,
        sizeBytes: stats?.size ?? 0,
        ...withoutUndefined({ changedAtMs: stats === undefined ? undefined : Math.trunc(stats.mtimeMs) }),
        promptTokens: planned?.type === "present" ? estimateTokens(planned.text) : 0,
        isCut: truncations.some(({ name }) => name === path),
        versions: (await versions.list(agentId, path)).length,
      };
    }),
  );
}

/** One file that cannot be read does not hide the others: reading it alone says why. */
async function readIfReadable(access: RunFiles, path: WorkspaceFileName): Promise<ReadText> {
  try {
    return await readText(access, path);
  } catch (error) {
    if (error instanceof FileAccessError || error instanceof RpcError) return ABSENT;
    throw error;
  }
}

async function readText(access: RunFiles, path: WorkspaceFileName): Promise<ReadText> {
  try {
    await using file = await access.openFile(path);
    if (file.sizeBytes > MAX_BYTES) throw tooLong(path);
    const bytes = await file.handle.readFile();
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), version: file.version };
  } catch (error) {
    if (error instanceof FileAccessError && error.code === "not-found") return ABSENT;
    if (error instanceof TypeError) throw new RpcError("unavailable", `${path} is no text in UTF-8.`, { cause: error });
    throw error;
  }
}

async function versionOf(
  { agentId, path, id }: { readonly agentId: string; readonly path: WorkspaceFileName; readonly id: string },
  versions: NoteVersions,
): Promise<{ readonly text: string; readonly untrusted: boolean }> {
  const found = await versions.read(agentId, path, id);
  if (found === undefined)
    throw new RpcError("not-found", `${path} has no such version. "factotum files versions ${path}" lists those that there are.`);
  return found;
}

function tooLong(path: string): RpcError {
  return new RpcError(
    "too-large",
    `${path} has more than ${MAX_WORKSPACE_FILE_CHARS} characters. Change it with an editor on the gateway's machine.`,
  );
}

async function asRpcErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FolderError) throw new RpcError("unavailable", `The workspace ${error.message}.`, { cause: error });
    if (!(error instanceof FileAccessError)) throw error;
    const { code, message } = error;
    if (code === "not-found") throw new RpcError("not-found", message, { cause: error });
    throw new RpcError(code === "changed" ? "conflict" : "unavailable", message, { cause: error });
  }
}
