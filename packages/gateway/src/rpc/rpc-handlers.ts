import { messageId } from "@factotum/channel-contract";
import type { MsgContext } from "@factotum/channel-contract";
import type {
  AgentRunResult,
  ChatEvent,
  ConfigReloadResult,
  GatewayStatus,
  GatewayWarning,
  RpcEvent,
  RpcEvents,
  RpcMethod,
  RpcMethods,
} from "@factotum/protocol";
import { withoutUndefined } from "@factotum/agent-contract";
import { buildContextReport } from "../requests/build-context-report.ts";
import { listContextRequests } from "../requests/list-context-requests.ts";
import { replayRequest } from "../requests/replay-request.ts";
import type { Engine } from "../engine/engine.ts";
import { parseAgentSessionKey } from "../routing/session-key.ts";
import type { RunReport } from "../queue/run-report.ts";
import { agentHandlers } from "./agent-handlers.ts";
import { channelHandlers } from "./channel-handlers.ts";
import { pairingHandlers } from "./pairing-handlers.ts";
import { RpcError } from "./rpc-error.ts";
import { setupHandlers } from "./setup-handlers.ts";
import type { SetupControl } from "./setup-handlers.ts";
import type { WebchatHub } from "./webchat-hub.ts";

/** What a method may do with its calling connection. */
export interface RpcConnection {
  readonly clientName: string;
  /** Fires when the connection closes. */
  readonly signal: AbortSignal;
  /** Subscribes this connection to the session's events, replacing an earlier subscription. */
  subscribe(sessionKey: string, open: (listener: (event: ChatEvent) => void) => Promise<Disposable>): Promise<void>;
  unsubscribe(sessionKey: string): boolean;
  /** Sends an event to this connection only. */
  notify<Event extends RpcEvent>(event: Event, payload: RpcEvents[Event]): void;
}

/** The dependencies of methods. */
export interface RpcServices {
  readonly engine: Engine;
  readonly hub: WebchatHub;
  readonly status: () => Promise<GatewayStatus>;
  readonly warnings: () => readonly GatewayWarning[];
  readonly reloadConfig: (options: { readonly force: boolean }) => Promise<ConfigReloadResult>;
  readonly setup: SetupControl;
  readonly requestRestart: () => Promise<void>;
  readonly requestShutdown: (reason: string) => void;
}

/** One handler for every method of the protocol; a missing one does not compile. Parameters are validated before. */
export type RpcHandlers = {
  readonly [Method in RpcMethod]: (
    params: RpcMethods[Method]["params"],
    connection: RpcConnection,
  ) => Promise<RpcMethods[Method]["result"]>;
};

/** Creates the handlers. They reject with `RpcError` for errors of the caller. */
export function createRpcHandlers(services: RpcServices): RpcHandlers {
  const { engine, hub } = services;
  const { sessions } = engine;
  return {
    "chat.send": async (params, connection) => {
      const sessionKey = await sessions.resolveTarget(params);
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
    "chat.abort": async (params) =>
      sessions.stopper.stop(await sessions.resolveKey({ sessionKey: params.sessionKey }), {
        queued: params.queued ?? false,
        reason: "you asked me to stop",
        ...withoutUndefined({ runId: params.runId }),
      }),
    agent: async (params, connection) => runAgentRequest(engine, params, connection),
    ...agentHandlers(engine),
    ...sessionHandlers(engine),
    "context.list": async ({ sessionKey, ...page }) =>
      listContextRequests({ sessionKey: await sessions.resolveKey({ sessionKey }), ...page }, engine.parts),
    "context.report": async ({ sessionKey, ...query }) =>
      buildContextReport({ sessionKey: await sessions.resolveKey({ sessionKey }), ...query }, engine.parts),
    "context.replay": async ({ sessionKey, replayId, ...query }, connection) =>
      replayRequest({ sessionKey: await sessions.resolveKey({ sessionKey }), ...query }, engine.parts, {
        signal: connection.signal,
        onPiece: (piece) => connection.notify("replay", { replayId, ...piece }),
      }),
    "deadletters.list": async (params) => engine.deadLetters.list(params),
    "deadletters.show": async ({ id }) => engine.deadLetters.show(id),
    "deadletters.replay": async ({ id, risk }) => engine.deadLetters.replay(id, { risk: risk ?? false }),
    "deadletters.purge": async (params) => engine.deadLetters.purge(params),
    ...channelHandlers(engine.channelInspector),
    ...pairingHandlers(engine.pairing),
    ...setupHandlers(services.setup),
    ...gatewayHandlers(services),
  };
}

/** Methods about the gateway. */
function gatewayHandlers({ engine, status, warnings, reloadConfig, requestRestart, requestShutdown }: RpcServices) {
  return {
    status,
    "warnings.list": async () => ({ warnings: warnings() }),
    "damage.list": async () => ({ events: engine.damage.list() }),
    "damage.acknowledge": async ({ ids }) => ({ acknowledged: await engine.damage.acknowledge(ids) }),
    "config.reload": async ({ force }) => reloadConfig({ force: force ?? false }),
    "gateway.restart": async () => {
      await requestRestart();
      return { restarting: true };
    },
    "gateway.shutdown": async (params) => {
      requestShutdown(params.reason ?? "asked by a client");
      return { stopping: true };
    },
  } satisfies Partial<RpcHandlers>;
}

/** Methods about the list of sessions. */
function sessionHandlers({ sessions, transfer }: Engine) {
  return {
    "sessions.list": async (params) => sessions.list(params),
    "sessions.show": async ({ key }) => transfer.show(await sessions.resolve({ key })),
    "sessions.export": async ({ key, ...from }) => transfer.export((await sessions.resolve({ key })).key, from),
    "sessions.import": async (params, connection) => transfer.import(params, { signal: connection.signal }),
    "sessions.resolve": async (params) => {
      if (params.key === undefined && params.label === undefined) throw new RpcError("invalid-request", "Give a key or a label.");
      return { session: await sessions.resolve(params) };
    },
    "sessions.patch": async (params) => ({ session: await sessions.patch(params) }),
    "sessions.reset": async (params) => ({
      session: sessions.summary(
        await sessions.reset(await sessions.resolveKey({ sessionKey: params.key }), { reason: "the conversation was reset" }),
      ),
    }),
    "sessions.delete": async (params) => ({ deleted: await sessions.delete(await sessions.resolveKey({ sessionKey: params.key })) }),
  } satisfies Partial<RpcHandlers>;
}

/** Sends a message and waits for the end of its run. The run continues if the client disconnects: its answer is in the conversation. */
async function runAgentRequest(engine: Engine, params: RpcMethods["agent"]["params"], connection: RpcConnection): Promise<AgentRunResult> {
  const sessionKey = await engine.sessions.resolveTarget(params);
  const agentId = params.agentId?.toLowerCase() ?? parseAgentSessionKey(sessionKey)?.agentId;
  const message: MsgContext = {
    origin: { channel: "cli", accountId: "default", conversation: { kind: "direct", id: sessionKey } },
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
      onReport: (report) => ended.resolve(toRunResult({ ...report, transcriptNotices: [...told, ...report.transcriptNotices] })),
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
    throw new RpcError("conflict", "A message with this idempotencyKey was said before. Read the conversation with chat.history.");
  connection.signal.addEventListener("abort", () => ended.reject(new RpcError("unavailable", "the connection closed")), { once: true });
  return ended.promise;
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
