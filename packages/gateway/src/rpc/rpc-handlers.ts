import type { RpcMethod } from "@factotum/protocol";
import type { Engine } from "../engine/engine.ts";
import { accessHandlers } from "./access-handlers.ts";
import { agentHandlers } from "./agent-handlers.ts";
import { approvalHandlers } from "./approval-handlers.ts";
import { attachmentHandlers } from "./attachment-handlers.ts";
import type { AdminServices } from "./admin-services.ts";
import { branchHandlers } from "./branch-handlers.ts";
import { channelHandlers } from "./channel-handlers.ts";
import { chatHandlers } from "./chat-handlers.ts";
import { checkpointHandlers } from "./checkpoint-handlers.ts";
import { commandHandlers } from "./command-handlers.ts";
import { configHandlers } from "./config-handlers.ts";
import { contextHandlers } from "./context-handlers.ts";
import { cronHandlers, heartbeatHandlers } from "./cron-handlers.ts";
import { deadLetterHandlers } from "./dead-letter-handlers.ts";
import { editorHandlers } from "./editor-handlers.ts";
import { fileHandlers } from "./file-handlers.ts";
import { gatewayHandlers } from "./gateway-handlers.ts";
import type { GatewayControl } from "./gateway-handlers.ts";
import { mediaHandlers } from "./media-handlers.ts";
import { logHandlers } from "./log-handlers.ts";
import { memoryHandlers, type GatewayMemory } from "./memory-handlers.ts";
import { messageHandlers } from "./message-handlers.ts";
import { modelHandlers } from "./model-handlers.ts";
import { pairingHandlers } from "./pairing-handlers.ts";
import { pluginHandlers } from "./plugin-handlers.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";
import { serverHandlers } from "./server-handlers.ts";
import { sessionHandlers } from "./session-handlers.ts";
import { setupHandlers } from "./setup-handlers.ts";
import { skillHandlers } from "./skill-handlers.ts";
import { subagentHandlers } from "./subagent-handlers.ts";
import { systemHandlers } from "./system-handlers.ts";
import { toolHandlers } from "./tool-handlers.ts";
import { usageHandlers } from "./usage-handlers.ts";
import { webhookHandlers } from "./webhook-handlers.ts";
import type { WebchatHub } from "./webchat-hub.ts";

/** The dependencies of methods. */
export interface RpcServices extends GatewayControl {
  readonly engine: Engine;
  readonly hub: WebchatHub;
  readonly services: AdminServices;
  readonly memory: GatewayMemory;
}

/** One handler for every method of the protocol; a missing one does not compile. */
export type RpcHandlers = RpcHandlersOf<RpcMethod>;

/** Creates the handlers, one file for each group of methods. */
export function createRpcHandlers({ engine, hub, services, memory, ...control }: RpcServices): RpcHandlers {
  return {
    ...chatHandlers(engine, hub),
    ...branchHandlers(engine),
    ...agentHandlers(engine, services.agents),
    ...attachmentHandlers(engine),
    ...sessionHandlers(engine),
    ...subagentHandlers(engine),
    ...checkpointHandlers(engine),
    ...commandHandlers(engine),
    ...configHandlers(services.config),
    ...contextHandlers(engine),
    ...deadLetterHandlers(engine.deadLetters),
    ...cronHandlers(engine),
    ...fileHandlers(engine, services.files),
    ...heartbeatHandlers(engine),
    ...logHandlers(services.log),
    ...mediaHandlers(engine),
    ...memoryHandlers(engine, memory),
    ...messageHandlers(engine),
    ...modelHandlers(engine, services.setup),
    ...accessHandlers(services.access),
    ...channelHandlers(engine, services.channels),
    ...pairingHandlers(engine.pairing),
    ...pluginHandlers(services.plugins),
    ...serverHandlers(engine, services.servers),
    ...skillHandlers(engine, services.skills),
    ...approvalHandlers(engine.parts.approvals),
    ...toolHandlers(engine),
    ...usageHandlers(engine),
    ...webhookHandlers(engine),
    ...editorHandlers(engine.parts),
    ...setupHandlers(services.setup),
    ...systemHandlers(engine),
    ...gatewayHandlers(engine, control),
  };
}
