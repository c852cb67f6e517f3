import { EXTERNAL_PERMISSION } from "@factotum/agent-contract";
import type * as sdk from "@agentclientprotocol/sdk";
import type { ClientApp, PermissionOption, RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { textOf, type CallTool } from "./call-tool.ts";
import { readWholeFile } from "./read-whole-file.ts";
import { cut, listOf, objectOf, titleOf } from "./parse-update.ts";
import { Terminals } from "./terminals.ts";

const MAX_ACTION_CHARS = 4_000;

/** What an agent may ask for. */
export interface AgentHost {
  /** Name of the agent in the configuration. */
  readonly agent: string;
  /** The agent's own id of the conversation; `undefined` before it has told it. */
  readonly sessionId: () => string | undefined;
  readonly callTool: CallTool;
}

type Sdk = Pick<typeof sdk, "client" | "methods" | "RequestError">;

/**
 * The methods of the protocol that a client has: each request of the agent is a call of a tool of the session, under the policy, the decisions and the sandbox of
 * that. Requests for other sessions are refused.
 */
export function serveAgent({ client, methods, RequestError }: Sdk, host: AgentHost): ClientApp {
  const { fs, terminal, session } = methods.client;
  const own = <Params extends { readonly sessionId: string }>(params: Params): Params => {
    if (params.sessionId === host.sessionId()) return params;
    throw RequestError.invalidParams({ sessionId: params.sessionId }, "This session is not open here.");
  };
  const call: CallTool = async (name, args) => {
    const result = await host.callTool(name, args);
    if (result.isError) throw RequestError.internalError({ tool: name }, textOf(result));
    return result;
  };
  const terminals = new Terminals(call, (message) => RequestError.invalidParams({}, message));
  return client({ name: "factotum" })
    .onRequest(session.requestPermission, async ({ params }) => askOwner(own(params), host))
    .onRequest(fs.readTextFile, async ({ params }) => ({ content: await readWholeFile(own(params), call) }))
    .onRequest(fs.writeTextFile, async ({ params }) => {
      const { path, content } = own(params);
      await call("write", { path, content });
      return {};
    })
    .onRequest(terminal.create, async ({ params }) => ({ terminalId: await terminals.create(own(params)) }))
    .onRequest(terminal.output, async ({ params }) => terminals.output(own(params).terminalId))
    .onRequest(terminal.waitForExit, async ({ params }) => terminals.wait(own(params).terminalId))
    .onRequest(terminal.kill, async ({ params }) => {
      await terminals.kill(own(params).terminalId);
      return {};
    })
    .onRequest(terminal.release, async ({ params }) => {
      await terminals.release(own(params).terminalId);
      return {};
    });
}

/** Asks the owner about something that the agent does itself. Its kind is a word of the agent's, and decides nothing. */
async function askOwner(
  { toolCall, options }: RequestPermissionRequest,
  { agent, callTool }: AgentHost,
): Promise<RequestPermissionResponse> {
  const args = { agent, title: titleOf({ ...toolCall }), action: actionOf({ ...toolCall }) };
  try {
    const { isError } = await callTool(EXTERNAL_PERMISSION, args);
    const chosen = choose(options, isError ? ["reject_once", "reject_always"] : ["allow_once"]);
    return { outcome: chosen === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId: chosen.optionId } };
  } catch {
    // The prompt has ended: the protocol's answer to what it asked before.
    return { outcome: { outcome: "cancelled" } };
  }
}

/** The option of the first kind that is offered. "Always" is never chosen for the agent: the gateway keeps the owner's decisions. */
function choose(options: readonly PermissionOption[], kinds: readonly PermissionOption["kind"][]): PermissionOption | undefined {
  for (const kind of kinds) {
    const found = options.find((option) => option.kind === kind);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What the agent wants to do, as far as it says so: its input, the files that it names, and the changes that it shows. */
function actionOf({ rawInput, locations, content }: Readonly<Record<string, unknown>>): string {
  const input = rawInput === undefined || rawInput === null ? [] : [JSON.stringify(rawInput, undefined, 2)];
  const places = listOf(locations).flatMap(({ path }) => (typeof path === "string" ? [path] : []));
  const changes = listOf(content).flatMap(({ type, path, newText, content: shown }) => {
    if (type === "diff" && typeof path === "string" && typeof newText === "string") return [`${path}:\n${newText}`];
    const { text } = objectOf(shown);
    return type === "content" && typeof text === "string" ? [text] : [];
  });
  return cut([...input, ...new Set(places), ...changes].join("\n"), MAX_ACTION_CHARS);
}
