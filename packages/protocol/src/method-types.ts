import type * as z from "zod";
import type { AgentRunResult } from "./shapes/agent-run.ts";
import type { ChatEntry, ChatSnapshot } from "./shapes/chat.ts";
import type { ConfigReloadResult } from "./shapes/config.ts";
import type { ContextReport, ContextRequest, ReplayResult } from "./shapes/context.ts";
import type { DeadLetter } from "./shapes/dead-letters.ts";
import type { SessionImportReport, SessionKind, SessionSummary } from "./shapes/session-summary.ts";
import type { SetupCheck, SetupState } from "./shapes/setup.ts";
import type { GatewayStatus } from "./shapes/status.ts";
import type { DamageEvent } from "./shapes/damage.ts";
import type { GatewayWarning } from "./shapes/warnings.ts";
import type { ChatAttachment } from "./webchat.ts";

/** Every method with its parameters and result. */
export interface RpcMethods {
  /**
   * Sends a message to a session: text, previously uploaded images, or both. Resolves once it is committed; deduplicated by `idempotencyKey`. Without a key:
   * the agent's main session.
   */
  "chat.send": {
    params: {
      readonly sessionKey?: string;
      readonly agentId?: string;
      readonly text: string;
      readonly attachments?: readonly ChatAttachment[];
      readonly idempotencyKey: string;
    };
    result: { readonly sessionKey: string; readonly status: "accepted" | "duplicate" };
  };
  /** Entries before a position, newest page first, oldest first inside the page. `limit` 50 by default, 200 at most. */
  "chat.history": {
    params: { readonly sessionKey: string; readonly before?: string; readonly limit?: number };
    result: { readonly entries: readonly ChatEntry[]; readonly before?: string };
  };
  /** Subscribes this connection to the session's events and returns the state that they continue from. Calling it again returns a fresh snapshot. */
  "chat.subscribe": { params: { readonly sessionKey?: string; readonly agentId?: string; readonly limit?: number }; result: ChatSnapshot };
  "chat.unsubscribe": { params: { readonly sessionKey: string }; result: { readonly subscribed: boolean } };
  /** Ends the current run of a session, and drops queued inputs if `queued` is true. */
  "chat.abort": {
    params: { readonly sessionKey: string; readonly runId?: string; readonly queued?: boolean };
    result: { readonly aborted: boolean; readonly dropped: number };
  };
  /** Sends a message and waits for the end of the run. */
  agent: {
    params: { readonly message: string; readonly agentId?: string; readonly sessionKey?: string; readonly idempotencyKey: string };
    result: AgentRunResult;
  };
  "agents.list": {
    params: Record<string, never>;
    result: {
      readonly agents: readonly {
        readonly id: string;
        readonly name: string;
        readonly isDefault: boolean;
        readonly mainSessionKey: string;
        /** The model of its next message in a session without an override; absent if it is unusable. */
        readonly model?: string;
      }[];
    };
  };
  /**
   * Newest activity first. `limit` 50 by default, 200 at most; `cursor` from the previous page. With `kinds` a page can be shorter than `limit` although more
   * follow: a page scans 200 sessions at most.
   */
  "sessions.list": {
    params: {
      readonly agentId?: string;
      readonly kinds?: readonly SessionKind[];
      readonly activeMinutes?: number;
      readonly limit?: number;
      readonly cursor?: string;
    };
    result: { readonly sessions: readonly SessionSummary[]; readonly cursor?: string };
  };
  /** A session with all known fields, named as in a `sessions.json`. */
  "sessions.show": {
    params: { readonly key: string };
    result: { readonly session: SessionSummary; readonly entry: Readonly<Record<string, unknown>> };
  };
  /**
   * The next lines of a session's plain file, each with its line break; the first one is its header. `after` and `sessionId` are those of the previous part; if
   * the result has no `after`, it was the last part.
   */
  "sessions.export": {
    params: { readonly key: string; readonly sessionId?: string; readonly after?: string };
    result: { readonly sessionId: string; readonly lines: readonly string[]; readonly after?: string };
  };
  /**
   * Imports a folder with a `sessions.json`, or one transcript, from an absolute path on the gateway's machine. With `agentId` everything is assigned to that
   * agent; `key` is for a single transcript; `dryRun` only reports.
   */
  "sessions.import": {
    params: { readonly path: string; readonly agentId?: string; readonly key?: string; readonly dryRun?: boolean };
    result: SessionImportReport;
  };
  /** Finds a session by key (exact, then ignoring case if that is unique) or by label. */
  "sessions.resolve": {
    params: { readonly key?: string; readonly label?: string; readonly agentId?: string };
    result: { readonly session: SessionSummary };
  };
  /** Changes the session's own settings; `null` clears one. */
  "sessions.patch": {
    params: { readonly key: string; readonly label?: string | null; readonly sendPolicy?: "allow" | "deny" | null };
    result: { readonly session: SessionSummary };
  };
  /** Resets the conversation; the old transcript is kept. */
  "sessions.reset": { params: { readonly key: string }; result: { readonly session: SessionSummary } };
  /** Deletes a session; its file stays as `<id>.jsonl.deleted.<time>` until maintenance. A running turn is aborted first. */
  "sessions.delete": { params: { readonly key: string }; result: { readonly deleted: boolean } };
  /** The stored model requests of a session, newest first. `limit` 50 by default, 200 at most; `before` from the previous page. */
  "context.list": {
    params: { readonly sessionKey: string; readonly limit?: number; readonly before?: string };
    result: { readonly requests: readonly ContextRequest[]; readonly before?: string };
  };
  /**
   * The content of one model request: by `id`, by `turn` (its number in the conversation from 1, or its id) and `request` (its number in the turn; defaults to
   * the last), else the newest. `diff` compares with the last request of another turn, or with the previous one.
   */
  "context.report": {
    params: {
      readonly sessionKey?: string;
      readonly id?: string;
      readonly turn?: number | string;
      readonly request?: number;
      readonly diff?: number | "previous";
      /** Include texts; sizes only by default. */
      readonly texts?: boolean;
    };
    result: ContextReport;
  };
  /** Replays a stored request, to its model or another. The answer comes as `replay` events and in the result; the conversation does not change. */
  "context.replay": {
    params: {
      readonly sessionKey?: string;
      readonly id?: string;
      readonly turn?: number | string;
      readonly request?: number;
      readonly model?: string;
      /** Chosen by the caller; its `replay` events carry it. */
      readonly replayId: string;
    };
    result: ReplayResult;
  };
  /** Dead letters, newest first. `limit` 50 by default, 200 at most; `cursor` from the previous page. */
  "deadletters.list": {
    params: { readonly type?: DeadLetter["type"]; readonly limit?: number; readonly cursor?: string };
    result: { readonly letters: readonly DeadLetter[]; readonly cursor?: string };
  };
  /** One dead letter with its payload: the received message, or the part that was to be sent. */
  "deadletters.show": { params: { readonly id: string }; result: { readonly letter: DeadLetter; readonly payload?: unknown } };
  /** Retries one with its attempts reset. One that may have been shown is refused with `conflict` unless `risk` is true. */
  "deadletters.replay": {
    params: { readonly id: string; readonly risk?: boolean };
    result: { readonly replayed: true; readonly sessionKey: string };
  };
  /** Purges some: those named, or those that failed before a time. Returns their number. */
  "deadletters.purge": {
    params: { readonly ids?: readonly string[]; readonly failedBeforeMs?: number };
    result: { readonly purged: number };
  };
  status: { params: Record<string, never>; result: GatewayStatus };
  /** Warnings about the gateway for its owner, the worst first. Changes come as `warnings-change`. */
  "warnings.list": { params: Record<string, never>; result: { readonly warnings: readonly GatewayWarning[] } };
  /** Unacknowledged damage of the stored state, oldest first. */
  "damage.list": { params: Record<string, never>; result: { readonly events: readonly DamageEvent[] } };
  /** Acknowledges damage: the named events, or all without ids. Returns the acknowledged events. */
  "damage.acknowledge": { params: { readonly ids?: readonly string[] }; result: { readonly acknowledged: readonly DamageEvent[] } };
  /**
   * Re-reads the configuration file at once, and applies it if it is valid. With `force` an unchanged file is applied again, because something that it refers
   * to has changed (a key in a file, the gateway's token).
   */
  "config.reload": { params: { readonly force?: boolean }; result: ConfigReloadResult };
  /** The current setup, and the known model providers. */
  "setup.state": { params: Record<string, never>; result: SetupState };
  /** Tests a provider by calls that cost nothing, with `key` or the configured one; with `model`, also whether it offers that model. */
  "setup.check": { params: { readonly provider: string; readonly key?: string; readonly model?: string }; result: SetupCheck };
  /** Stores a provider's key in a file that the configuration refers to, and uses it from now on. `keyPlace` is that file. */
  "setup.key": { params: { readonly provider: string; readonly key: string }; result: { readonly keyPlace: string } };
  /** Sets `provider/model` as the model of the default agent. */
  "setup.model": { params: { readonly model: string }; result: { readonly model: string } };
  /** Sets the default agent's name in its IDENTITY.md. */
  "setup.name": { params: { readonly name: string }; result: { readonly name: string } };
  /** Restarts the gateway by a helper process, with the current environment. */
  "gateway.restart": { params: Record<string, never>; result: { readonly restarting: true } };
  /** Drains and stops the gateway. */
  "gateway.shutdown": { params: { readonly reason?: string }; result: { readonly stopping: true } };
}

/** Name of a method. */
export type RpcMethod = keyof RpcMethods;

/** Who may call a method: `owner` is the holder of the gateway's token. */
export type RpcAccess = "owner";

/** Every method: who may call it, whether it is refused while nothing can be stored, and parsers for its parameters and its result. */
export type RpcMethodSchemas = {
  readonly [Method in RpcMethod]: {
    readonly access: RpcAccess;
    readonly stores: boolean;
    readonly params: z.ZodType<RpcMethods[Method]["params"]>;
    readonly result: z.ZodType<RpcMethods[Method]["result"]>;
  };
};
