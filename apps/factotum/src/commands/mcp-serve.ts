import { randomUUID } from "node:crypto";
import { withoutUndefined } from "@factotum/agent-contract";
import type {
  Conversation,
  ConversationAnswer,
  ConversationMessage,
  Conversations,
  ListeningEndpoint,
  McpEndpoint,
} from "@factotum/mcp-server";
import type { AgentRunResult, ChatEntry, SessionSummary } from "@factotum/protocol";
import { acceptsToken, connectGateway, requestError } from "../rpc/connect-gateway.ts";
import type { RpcClient } from "../rpc/rpc-client.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { systemClock, systemRandom } from "../runtime/system-clock.ts";

/** How conversations are served. */
export interface McpServeOptions {
  /** The port on loopback; absent for standard input and output. */
  readonly port?: number;
  readonly readOnly: boolean;
}

/** Serves the conversations of the running gateway to MCP clients, until the client or the person ends it. */
export async function mcpServe(context: CliContext, { port, readOnly }: McpServeOptions): Promise<number> {
  const { createConversationServer, McpEndpoint: Endpoint, serveOnStdio } = await import("@factotum/mcp-server");
  const { version, signal } = context;
  const conversations = gatewayConversations(context);
  const createServer = (): ReturnType<typeof createConversationServer> =>
    createConversationServer({ conversations, clock: systemClock, version, readOnly });
  const onError = ({ message }: Error): void => context.note(`factotum: ${message}\n`);
  if (port === undefined) {
    await serveOnStdio(createServer, { input: process.stdin, output: process.stdout, signal, onError });
    return EXIT.ok;
  }
  const isAuthorized = async (token: string | undefined): Promise<boolean> => acceptsToken(context, token);
  const endpoint = await listen(new Endpoint({ createServer, isAuthorized, clock: systemClock, random: systemRandom, onError }), port);
  context.note(`The conversations are served at ${endpoint.url}, for requests with the gateway's token: factotum token show\n`);
  await stopped(signal);
  await endpoint.close();
  return EXIT.ok;
}

async function listen(endpoint: McpEndpoint, port: number): Promise<ListeningEndpoint> {
  try {
    return await endpoint.listen(port);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new CliError("failure", `Another program listens on port ${port}.`, {
      cause: error,
      fix: "Choose another one: --port 0 takes a free one.",
    });
  }
}

async function stopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** The conversations of the gateway that runs when they are asked for: it may be started, or started again, after this process. */
function gatewayConversations(context: CliContext): Conversations {
  const ask = async <Result>(request: (client: RpcClient) => Promise<Result>): Promise<Result> => {
    try {
      using gateway = await connectGateway(context);
      return await request(gateway.client);
    } catch (error) {
      const { message, fix } = requestError(error);
      throw new Error(fix === undefined ? message : `${message} ${fix}`, { cause: error });
    }
  };
  return {
    list: async ({ agent, limit, cursor, signal }) =>
      ask(async (client) => {
        const page = await client.request("sessions.list", { limit, ...withoutUndefined({ agentId: agent, cursor }) }, { signal });
        return { conversations: page.sessions.map(toConversation), ...withoutUndefined({ cursor: page.cursor }) };
      }),
    read: async ({ conversation, limit, before, signal }) =>
      ask(async (client) => {
        const { session } = await client.request("sessions.resolve", { key: conversation }, { signal });
        const query = { sessionKey: session.key, limit, ...withoutUndefined({ before }) };
        const page = await client.request("chat.history", query, { signal });
        return { messages: page.entries.flatMap(toMessages), ...withoutUndefined({ before: page.before }) };
      }),
    say: async ({ conversation, text, signal }) =>
      ask(async (client) => {
        const sessionKey =
          conversation === undefined
            ? undefined
            : (await client.request("sessions.resolve", { key: conversation }, { signal })).session.key;
        const message = { message: text, idempotencyKey: randomUUID(), ...withoutUndefined({ sessionKey }) };
        return toAnswer(await client.request("agent", message, { signal }));
      }),
  };
}

function toConversation({ key, label, displayName, agentId, channel, activeAtMs }: SessionSummary): Conversation {
  return { id: key, name: label ?? displayName, agent: agentId, activeAtMs, ...withoutUndefined({ channel }) };
}

/** Calls of tools, and their results, are the assistant's business. */
function toMessages(entry: ChatEntry): ConversationMessage[] {
  const { id, timestampMs, type } = entry;
  switch (type) {
    case "user": {
      const files = entry.files?.map(({ name, kind }) => name ?? kind);
      return [{ id, timestampMs, from: "person", text: entry.text, ...withoutUndefined({ sender: entry.sender, files }) }];
    }
    case "assistant":
      return entry.text === "" ? [] : [{ id, timestampMs, from: "assistant", text: entry.text }];
    case "notice":
      return [{ id, timestampMs, from: "gateway", text: entry.text }];
    case "tool-result":
      return [];
  }
}

function toAnswer({ sessionKey, text, outcome, remarks = [], notices = [] }: AgentRunResult): ConversationAnswer {
  const told = [...remarks, ...notices];
  const problem =
    outcome.type === "done" ? undefined : `the run ${outcome.type === "failed" ? "failed" : "was stopped"}: ${outcome.message ?? ""}`;
  return { conversation: sessionKey, text, ...withoutUndefined({ problem }), ...(told.length === 0 ? {} : { notices: told }) };
}
