import type { ToolOptions } from "@factotum/agent-contract";
import { describe } from "../describe-error.ts";
import { extensionOf } from "../languages.ts";
import type { LspFile, LspRunFiles } from "../ports.ts";
import { findFile, isInside } from "../project-files.ts";
import type { RunningServer } from "../running-server.ts";
import { TextLines } from "../text-lines.ts";
import type { ToolParts } from "./tool-parts.ts";

/** The file of a call, which the server has in its current text. */
export interface OpenedFile {
  readonly file: LspFile;
  readonly lines: TextLines;
  readonly access: LspRunFiles;
  readonly server: RunningServer;
  /** Asks the server; rejects with an error whose message says what the server said. */
  readonly ask: (method: string, params: object) => Promise<unknown>;
}

/** Opens the file of a call, or any file of the server's languages without a path. Rejects with an error whose message is for the model. */
export async function openTarget(path: string | undefined, parts: ToolParts, { run, signal }: ToolOptions): Promise<OpenedFile> {
  const { server: owner, files } = parts;
  const access = await files.forRun(run);
  const named = path ?? (await findFile(run.workspace, owner.languages));
  if (named === undefined) throw new Error(`There is no file of this language in the workspace.`);
  const file = await access.read(named);
  if (!isInside(run.workspace, file.path)) throw new Error(`${file.shown} is not in the workspace.`);
  const languageId = owner.languages.get(extensionOf(file.path));
  if (languageId === undefined)
    throw new Error(`${file.shown} is no file of this language server, which has ${[...owner.languages.keys()].join(" ")}.`);
  const place = { agentId: run.agentId, workspace: run.workspace, ...(run.sandbox === undefined ? {} : { sandbox: run.sandbox }) };
  const started = await owner.use(place, file.path);
  if (started.type === "down") throw new Error(`The language server ${owner.name} cannot be used: ${started.message}. Do without it.`);
  const { server } = started;
  await refresh(server, access, file.path);
  server.sync(file.path, file.text, languageId);
  const ask = async (method: string, params: object): Promise<unknown> => {
    try {
      return await server.request(method, params, signal);
    } catch (error) {
      signal.throwIfAborted();
      const why = server.isOver ? await server.ended : describe(error);
      throw new Error(`The language server ${owner.name} did not answer: ${why}.`, { cause: error });
    }
  };
  return { file, lines: new TextLines(file.text), access, server, ask };
}

/** Commands may have changed the other files that the server has. */
async function refresh(server: RunningServer, access: LspRunFiles, except: string): Promise<void> {
  for (const path of server.openPaths) {
    if (path === except) continue;
    try {
      const { text } = await access.read(path);
      server.refresh(path, text);
    } catch {
      server.forget(path);
    }
  }
}
