import { ModelError } from "@factotum/agent-contract";
import type { RpcMethod, RpcMethods } from "@factotum/protocol";
import type { AgentRuntime } from "../agents/agent-directory.ts";
import type { Engine } from "../engine/engine.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";

type FileMethod = Extract<RpcMethod, `files.${string}`>;

/** The parameters of a method for the agent that is meant. */
type OfAgent<Method extends FileMethod> = Omit<RpcMethods[Method]["params"], "agentId"> & { readonly agentId: string };

/** The workspace files of agents, for clients: a function for each method `files.*`. Each rejects with an `RpcError`. */
export type FileService = {
  readonly [Method in Exclude<FileMethod, "files.list"> as Method extends `files.${infer Name}` ? Name : never]: (
    params: OfAgent<Method>,
  ) => Promise<RpcMethods[Method]["result"]>;
} & {
  /** `contextWindow`: tokens of the agent's model, on which depends how much of its files a prompt shows. */
  readonly list: (params: OfAgent<"files.list"> & { readonly contextWindow: number }) => Promise<RpcMethods["files.list"]["result"]>;
};

/** Without a usable model; no smaller than what the limits of files allow. */
const DEFAULT_WINDOW = 200_000;

/** The methods of workspace files. The caller has the token: the owner. */
export function fileHandlers({ sessions, parts }: Pick<Engine, "sessions" | "parts">, service: FileService): RpcHandlersOf<FileMethod> {
  const ofAgent = <Params extends { readonly agentId?: string }>(params: Params): Params & { readonly agentId: string } => ({
    ...params,
    agentId: sessions.agentId(params.agentId),
  });
  return {
    "files.list": async (params) => {
      const { agentId } = ofAgent(params);
      return service.list({ agentId, contextWindow: await windowOf(parts.running.agents.get(agentId)) });
    },
    "files.read": async (params) => service.read(ofAgent(params)),
    "files.write": async (params) => service.write(ofAgent(params)),
    "files.versions": async (params) => service.versions(ofAgent(params)),
    "files.version": async (params) => service.version(ofAgent(params)),
    "files.restore": async (params) => service.restore(ofAgent(params)),
    "files.add": async (params) => service.add(ofAgent(params)),
    "files.remove": async (params) => service.remove(ofAgent(params)),
  };
}

async function windowOf(agent: AgentRuntime | undefined): Promise<number> {
  try {
    return (await agent?.model(undefined))?.client.info.contextWindow ?? DEFAULT_WINDOW;
  } catch (error) {
    if (ModelError.isInstance(error)) return DEFAULT_WINDOW;
    throw error;
  }
}
