import type { Approval, GatewayWarning, RpcMethods, SessionSummary } from "@factotum/protocol";
import type { ChatState } from "../chat/chat-state.ts";
import type { ConnectionState } from "../gateway-client/gateway-client.ts";
import type { OutgoingMessage } from "./outbox.ts";

/** An agent as lists show it. */
export type Agent = RpcMethods["agents.list"]["result"]["agents"][number];

/** The open conversation. */
type OpenChat =
  | { readonly type: "loading" }
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "open"; readonly chat: ChatState };

/** The state of the page. */
export interface AppState {
  readonly connection: ConnectionState;
  readonly agents: readonly Agent[];
  /** The agent whose sessions are listed. */
  readonly agentId?: string | undefined;
  readonly sessions: readonly SessionSummary[];
  /** Cursor of further sessions. */
  readonly sessionsCursor?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly open: OpenChat;
  readonly older: "idle" | "loading" | "failed";
  readonly outgoing: readonly OutgoingMessage[];
  /** Warnings about the gateway for its owner. */
  readonly warnings: readonly GatewayWarning[];
  /** Dismissed warnings, as they were then; a changed one is shown again. */
  readonly hiddenWarnings: readonly GatewayWarning[];
  /** What else waits for the owner's decision, as far as the gateway has said. */
  readonly inbox?: { readonly approvals: number; readonly deadLetters: number } | undefined;
  /** The calls that wait for a decision. */
  readonly waitingCalls?: readonly Approval[] | undefined;
  /** A session with a pending deletion. */
  readonly deleting?: { readonly key: string; readonly title: string } | undefined;
  /** A text that the person wants to edit and send again; `serial` distinguishes equal texts. `of`: the message of which it becomes another version. */
  readonly edit?:
    | {
        readonly text: string;
        readonly serial: number;
        readonly of?: { readonly sessionKey: string; readonly entryId: string } | undefined;
      }
    | undefined;
  /** The gateway has refused to let this client steer or stop sub-agents. */
  readonly mayNotChangeSubagents?: true | undefined;
  /** A failed action, as text for the person. */
  readonly alert?: string | undefined;
  /** What an action has led to, if the person should know it. */
  readonly news?: string | undefined;
}

/** The state before any event. */
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

/** The key of the main session of an agent; of the agent whose sessions are listed, if none is named. */
export function mainKeyOf({ agents, agentId }: Pick<AppState, "agents" | "agentId">, of: string | undefined = agentId): string | undefined {
  return agents.find(({ id }) => id === of)?.mainSessionKey;
}
