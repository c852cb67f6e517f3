import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { AgentTool, AgentToolResult, JsonObject, RunFacts } from "@factotum/agent-contract";
import { createFileAccess, type FileAccess, type FileAccessOptions, type FileRoot } from "../src/index.ts";

/** A temporary folder tree with a workspace, a state folder beside it, and file access to them. */
export interface ToolRig extends AsyncDisposable {
  /** Parent of everything in the test. Real. */
  readonly base: string;
  readonly workspace: string;
  readonly home: string;
  readonly run: RunFacts;
  readonly files: FileAccess;
  /** Writes a file at a path relative to `base`, with its folders; returns its absolute path. */
  put(path: string, content: string | Uint8Array): Promise<string>;
  call(tool: AgentTool, args: JsonObject, options?: CallOptions): Promise<AgentToolResult>;
}

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly run?: Partial<RunFacts>;
  readonly onDelta?: (text: string) => void;
  readonly tainted?: boolean;
}

interface RigOptions extends Partial<Omit<FileAccessOptions, "roots" | "home">> {
  /** Relative to the base. Default `workspace`. */
  readonly workspace?: string;
  readonly roots?: (base: string) => readonly FileRoot[];
}

export async function createToolRig({ workspace: place = "workspace", roots, ...options }: RigOptions = {}): Promise<ToolRig> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "tools-")));
  const workspace = join(base, place);
  const home = join(base, "home");
  await mkdir(workspace, { recursive: true });
  await mkdir(home, { recursive: true });
  const run: RunFacts = {
    runId: "run-1",
    kind: "user",
    agentId: "main",
    sessionKey: "agent:main:main",
    sessionId: "session-1",
    workspace,
    owner: true,
    timeZone: "UTC",
  };
  return {
    base,
    workspace,
    home,
    run,
    files: createFileAccess({ ...options, home, roots: () => roots?.(base) ?? [] }),
    async put(path, content) {
      const absolute = join(base, path);
      await mkdir(dirname(absolute), { recursive: true });
      await writeFile(absolute, content);
      return absolute;
    },
    call(tool, args, { signal = new AbortController().signal, run: facts = {}, onDelta = () => {}, tainted = false } = {}) {
      return tool.execute({ id: "call-1", name: tool.name, arguments: args }, { signal, run: { ...run, ...facts }, tainted, onDelta });
    },
    async [Symbol.asyncDispose]() {
      await rm(base, { recursive: true, force: true });
    },
  };
}

/** The text of a result. */
export function textOf(result: AgentToolResult): string {
  return result.content.map((part) => (part.type === "text" ? part.text : `<${part.mimeType}>`)).join("\n");
}
