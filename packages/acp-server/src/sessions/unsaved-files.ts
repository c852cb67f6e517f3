import { open, realpath } from "node:fs/promises";
import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { AgentContext, ContentBlock } from "@agentclientprotocol/sdk";
import { methods } from "@agentclientprotocol/sdk";

/** What looking for unsaved text needs. */
export interface UnsavedFilesOptions {
  readonly sessionId: string;
  /** The session's folder, with its links resolved. */
  readonly workspace: string;
  readonly client: AgentContext;
  readonly signal: AbortSignal;
}

/** Files of a prompt that are looked at. */
const MAX_FILES = 20;
/** Larger files are named only. */
const MAX_BYTES = 200_000;
/** A client that does not answer delays a prompt by this much. */
const ANSWER_MS = 2_000;

/**
 * The blocks of a prompt, in which a linked file of the project that the editor shows with unsaved changes is replaced by its text: the assistant's tools see the
 * disk. Files beyond the project, large ones, and those that the client cannot give stay links.
 */
export async function withUnsavedText(blocks: readonly ContentBlock[], options: UnsavedFilesOptions): Promise<readonly ContentBlock[]> {
  let left = MAX_FILES;
  return Promise.all(
    blocks.map(async (block) => {
      if (block.type !== "resource_link" || !block.uri.startsWith("file://") || left === 0) return block;
      left -= 1;
      const text = await unsavedText(block.uri, options);
      return text === undefined ? block : { type: "resource" as const, resource: { uri: block.uri, text } };
    }),
  );
}

async function unsavedText(uri: string, { sessionId, workspace, client, signal }: UnsavedFilesOptions): Promise<string | undefined> {
  const path = pathOf(uri);
  const saved = path === undefined ? undefined : await savedText(path, workspace);
  if (path === undefined || saved === undefined) return undefined;
  try {
    const cancellationSignal = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    const asked = client.request(methods.client.fs.readTextFile, { sessionId, path }, { cancellationSignal, stopWaitingOnCancel: true });
    const { content } = await asked;
    return content === saved || content.length > MAX_BYTES ? undefined : content;
  } catch {
    // Without an answer the link stays.
    return undefined;
  }
}

function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    // The address of another host, or an invalid one.
    return undefined;
  }
}

/** The text on the disk of a file in the project; `undefined` for any other, and for a large one. */
async function savedText(path: string, workspace: string): Promise<string | undefined> {
  try {
    const way = relative(workspace, await realpath(path));
    if (way === "" || way === ".." || way.startsWith(`..${sep}`)) return undefined;
    await using file = await open(path, "r");
    const { size } = await file.stat();
    return size > MAX_BYTES ? undefined : await file.readFile("utf8");
  } catch {
    // The assistant's own tools say what is wrong with it.
    return undefined;
  }
}
