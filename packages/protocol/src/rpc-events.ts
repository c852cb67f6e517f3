import * as z from "zod";
import { ChatEventSchema } from "./shapes/chat.ts";
import type { ChatEvent } from "./shapes/chat.ts";
import { ConfigReloadResultSchema } from "./shapes/config.ts";
import type { ConfigReloadResult } from "./shapes/config.ts";
import { EditorRequestSchema } from "./shapes/editor.ts";
import type { EditorRequest } from "./shapes/editor.ts";
import { ReplayDeltaSchema } from "./shapes/context.ts";
import type { ReplayDelta } from "./shapes/context.ts";
import { parsersOf } from "./parser-of.ts";
import { GatewayWarningsSchema } from "./shapes/warnings.ts";
import type { GatewayWarning } from "./shapes/warnings.ts";

/** Every event with its payload. */
export interface RpcEvents {
  /** An event of a session that this connection subscribed to. */
  chat: { readonly sessionKey: string; readonly event: ChatEvent };
  /** Sessions were created, changed or removed; request them again. */
  "sessions-change": { readonly keys: readonly string[] };
  /** All current warnings of the gateway, after one was added, changed or removed. */
  "warnings-change": { readonly warnings: readonly GatewayWarning[] };
  /** The configuration file was applied or could not be, and why; `changed` keys differ from the configuration before. */
  "config-change": ConfigReloadResult;
  /** Tool calls wait for a decision, or do not wait any more; request them again. */
  "approvals-change": Record<string, never>;
  /** Dead letters were added, replayed or purged; request them again. */
  "deadletters-change": Record<string, never>;
  /** The health of accounts of channels, or who asks to be admitted there, has changed; request it again. At most once a second. */
  "channels-change": Record<string, never>;
  /** A scheduled job or a heartbeat was made, changed, removed, or has run; request them again. */
  "jobs-change": Record<string, never>;
  /**
   * A note of an agent's memory was changed by the assistant or by a client, or by hand, which is announced from the first request for notes on; request it
   * again. At most four times a second, for each agent.
   */
  "memory-change": { readonly agentId: string };
  /** The same for the files of an agent that say who it is, its knowledge files, or its skills and slash commands. */
  "files-change": { readonly agentId: string; readonly kind: "persona" | "knowledge" | "skills" };
  /** A chunk of the answer to a replayed request, sent to the requesting connection. */
  replay: ReplayDelta;
  /** A run asks this connection's editor for something; `editor.answer` with the id answers. */
  "editor-request": { readonly sessionKey: string; readonly id: string; readonly request: EditorRequest };
  /** A remark about what this connection's editor offers, for the person. */
  "editor-note": { readonly sessionKey: string; readonly text: string };
  /** The gateway is about to close the connection. */
  shutdown: { readonly reason: string };
}

/** Name of an event. */
export type RpcEvent = keyof RpcEvents;

/** A parser for the payload of every event. */
export const RPC_EVENTS: { readonly [Event in RpcEvent]: z.ZodType<RpcEvents[Event]> } = parsersOf<RpcEvents>()({
  chat: z.lazy(() => z.strictObject({ sessionKey: z.string(), event: ChatEventSchema })),
  "config-change": ConfigReloadResultSchema,
  "approvals-change": z.lazy(() => z.strictObject({})),
  "deadletters-change": z.lazy(() => z.strictObject({})),
  "channels-change": z.lazy(() => z.strictObject({})),
  "jobs-change": z.lazy(() => z.strictObject({})),
  "memory-change": z.lazy(() => z.strictObject({ agentId: z.string() })),
  "files-change": z.lazy(() => z.strictObject({ agentId: z.string(), kind: z.enum(["persona", "knowledge", "skills"]) })),
  replay: ReplayDeltaSchema,
  "editor-request": z.lazy(() => z.strictObject({ sessionKey: z.string(), id: z.string(), request: EditorRequestSchema })),
  "editor-note": z.lazy(() => z.strictObject({ sessionKey: z.string(), text: z.string() })),
  "sessions-change": z.lazy(() => z.strictObject({ keys: z.array(z.string()) })),
  "warnings-change": z.lazy(() => z.strictObject({ warnings: GatewayWarningsSchema })),
  shutdown: z.lazy(() => z.strictObject({ reason: z.string() })),
});
