import { messageId } from "@factotum/channel-contract";
import type { MsgContext } from "@factotum/channel-contract";
import type { AgentRunResult, RpcMethod, RpcMethods } from "@factotum/protocol";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Engine } from "../engine/engine.ts";
import { parseAgentSessionKey } from "../routing/session-key.ts";
import { sessionOrigin } from "../routing/session-origin.ts";
import type { RunReport } from "../queue/run-report.ts";
import type { branchHandlers } from "./branch-handlers.ts";
import { waitsForResults, withResults } from "./answer-to-results.ts";
import type { RpcConnection, RpcHandlersOf } from "./rpc-connection.ts";
import { RpcError } from "../kernel/rpc-error.ts";
import type { WebchatHub } from "./webchat-hub.ts";

type ChatMethod = Exclude<Extract<RpcMethod, `chat.${string}`>, keyof ReturnType<typeof branchHandlers>>;

/** The methods of a conversation: sending, watching, stopping, and `agent`, which waits for the answer. */
export function chatHandlers(engine: Engine, hub: WebchatHub): RpcHandlersOf<ChatMethod | "agent"> {
  const { sessions } = engine;
  return {
    "chat.send": async (params, connection) => {
      const sessionKey = await sessions.resolveRecipient(params);
      const accepted = await hub.submit({
        sessionKey,
        text: params.text,
        ...withoutUndefined({ attachments: params.attachments }),
        idempotencyKey: params.idempotencyKey,
        clientName: connection.clientName,
      });
      if (accepted === undefined) throw new RpcError("unavailable", "The chat is not ready yet. Try again in a moment.");
      return { sessionKey, status: accepted };
    },
    "chat.history": async (params) =>
      sessions.history(await sessions.resolveKey({ sessionKey: params.sessionKey }), {
        limit: params.limit ?? 50,
        ...withoutUndefined({ before: params.before }),
      }),
    "chat.subscribe": async (params, connection) => {
      const sessionKey = await sessions.resolveKey(params);
      const opened = Promise.withResolvers<RpcMethods["chat.subscribe"]["result"]>();
      await connection.subscribe(sessionKey, async (listener) => {
        const { snapshot, subscription } = await sessions.subscribe(sessionKey, { limit: params.limit ?? 50, listener });
        opened.resolve(snapshot);
        return subscription;
      });
      return opened.promise;
    },
    "chat.unsubscribe": async (params, connection) => ({
      subscribed: connection.unsubscribe(await sessions.resolveKey({ sessionKey: params.sessionKey })),
    }),
    "chat.abort": async (params) => {
      const { aborted, dropped, subagents } = await sessions.stopper.stop(await sessions.resolveKey({ sessionKey: params.sessionKey }), {
        queued: params.queued ?? false,
        endsSubagents: true,
        reason: "you asked me to stop",
        ...withoutUndefined({ runId: params.runId }),
      });
      return { aborted: aborted || subagents > 0, dropped };
    },
    agent: async (params, connection) => runAgentRequest(engine, params, connection),
  };
}

/** Sends a message and waits for its answer: the end of its run, or of the one that answers the results of sub-agents for which that waits. The run continues if the client disconnects: its answer is in the conversation. */
async function runAgentRequest(engine: Engine, params: RpcMethods["agent"]["params"], connection: RpcConnection): Promise<AgentRunResult> {
  const sessionKey = await engine.sessions.resolveRecipient(params);
  const agentId = params.agentId?.toLowerCase() ?? parseAgentSessionKey(sessionKey)?.agentId;
  const message: MsgContext = {
    origin: sessionOrigin(sessionKey),
    eventId: params.idempotencyKey,
    messageId: messageId(params.idempotencyKey),
    timestampMs: engine.parts.clock.now(),
    event: { type: "message" },
    sender: { id: "owner", isBot: false },
    text: params.message,
    mentionsBot: true,
    attachments: [],
  };
  const ended = Promise.withResolvers<AgentRunResult>();
  const told: string[] = [];
  const { status } = await engine.submit(
    message,
    { owner: true, kind: "user", ownTurn: true, sessionKey, ...withoutUndefined({ agentId }) },
    {
      onClaimed: () => undefined,
      onNotice: (text) => void told.push(text),
      onReport: (report) => {
        const first = { ...report, transcriptNotices: [...told, ...report.transcriptNotices] };
        ended.resolve(
          waitsForResults(report) ? answered(first, { parts: engine.parts, signal: connection.signal, inputIds: [] }) : toRunResult(first),
        );
      },
      onAnswered: (text) =>
        ended.resolve({
          sessionKey,
          runId: "",
          outcome: { type: "done" },
          text,
          usage: NO_USAGE,
          ...(told.length === 0 ? {} : { notices: told }),
        }),
      onSettled: (reason) =>
        ended.resolve({ sessionKey, runId: "", outcome: { type: "aborted", message: reason }, text: "", usage: NO_USAGE }),
    },
  );
  if (status === "duplicate")
    throw new RpcError("conflict", "A message with this idempotencyKey was sent before. Read the conversation with chat.history.");
  connection.signal.addEventListener("abort", () => ended.reject(new RpcError("unavailable", "the connection closed")), { once: true });
  return ended.promise;
}

/** The answer to the results that a run waits for. */
async function answered(first: RunReport, options: Parameters<typeof withResults>[1]): Promise<AgentRunResult> {
  const last = await withResults(first, options);
  return last === undefined
    ? { ...toRunResult(first), outcome: { type: "aborted", message: "what it waited for was stopped" } }
    : toRunResult(last);
}

const NO_USAGE: AgentRunResult["usage"] = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

function toRunResult(report: RunReport): AgentRunResult {
  const { outcome, usage } = report;
  const message = outcome.type === "failed" ? report.failureText : outcome.type === "aborted" ? outcome.reason : undefined;
  return {
    sessionKey: report.sessionKey,
    runId: report.runId,
    outcome: { type: outcome.type, ...withoutUndefined({ message }) },
    text: report.text,
    ...(report.replyNotices.length === 0 ? {} : { remarks: report.replyNotices }),
    ...(report.transcriptNotices.length === 0 ? {} : { notices: report.transcriptNotices }),
    ...(report.thoughts === "" ? {} : { thoughts: report.thoughts }),
    usage: {
      input: usage.input,
      output: usage.output,
      cacheRead: usage.cacheRead,
      cacheWrite: usage.cacheWrite,
      total: usage.total,
      ...withoutUndefined({ costUsd: usage.costUsd }),
    },
  };
}
