import type { GatewayWarning, RpcMethods, SessionSummary } from "@factotum/protocol";
import type { ChatState } from "../chat/chat-state.ts";
import type { ConnectionState } from "../gateway-client/gateway-client.ts";
import type { InspectorState } from "./inspector-state.ts";
import type { OutgoingMessage } from "./outbox.ts";

/** An agent that can be talked to. */
export type Agent = RpcMethods["agents.list"]["result"]["agents"][number];

/** The conversation that is open. */
type OpenChat =
  | { readonly type: "loading" }
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "open"; readonly chat: ChatState };

/** Everything that the page shows. */
export interface AppState {
  readonly connection: ConnectionState;
  readonly agents: readonly Agent[];
  /** The agent whose sessions are listed. */
  readonly agentId?: string | undefined;
  readonly sessions: readonly SessionSummary[];
  /** There are more sessions; ask with it. */
  readonly sessionsCursor?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly open: OpenChat;
  readonly older: "idle" | "loading" | "failed";
  readonly outgoing: readonly OutgoingMessage[];
  /** The page that shows what the model was given, in place of the conversation. */
  readonly inspector?: InspectorState | undefined;
  /** What of the gateway its owner should know. */
  readonly warnings: readonly GatewayWarning[];
  /** Warnings that the person has put away, as they read then; one that changes is shown again. */
  readonly hiddenWarnings: readonly GatewayWarning[];
  /** A session that is deleted in a moment, unless the person takes that back. */
  readonly deleting?: { readonly key: string; readonly title: string } | undefined;
  /** A text that the person wants to say again, changed; `serial` tells the same text apart. */
  readonly edit?: { readonly text: string; readonly serial: number } | undefined;
  /** A failed action, in words for the person. */
  readonly alert?: string | undefined;
}

/** Before anything was heard. */
export const INITIAL_STATE: AppState = {
  connection: { type: "stopped" },
  agents: [],
  sessions: [],
  open: { type: "loading" },
  older: "idle",
  outgoing: [],
  warnings: [],
  hiddenWarnings: [],
};
