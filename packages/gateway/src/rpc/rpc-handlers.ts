import type { RpcMethod } from "@factotum/protocol";
import type { Engine } from "../engine/engine.ts";
import { accessHandlers, type AccessDesk } from "./access-handlers.ts";
import { agentHandlers, type AgentDesk } from "./agent-handlers.ts";
import { approvalHandlers } from "./approval-handlers.ts";
import { attachmentHandlers } from "./attachment-handlers.ts";
import type { ChannelDesk } from "./channel-desk.ts";
import { branchHandlers } from "./branch-handlers.ts";
import { channelHandlers } from "./channel-handlers.ts";
import { chatHandlers } from "./chat-handlers.ts";
import { checkpointHandlers } from "./checkpoint-handlers.ts";
import { commandHandlers } from "./command-handlers.ts";
import { configHandlers, type ConfigDesk } from "./config-handlers.ts";
import { contextHandlers } from "./context-handlers.ts";
import { cronHandlers, heartbeatHandlers } from "./cron-handlers.ts";
import { deadLetterHandlers } from "./dead-letter-handlers.ts";
import { editorHandlers } from "./editor-handlers.ts";
import { fileHandlers, type FileDesk } from "./file-handlers.ts";
import { gatewayHandlers } from "./gateway-handlers.ts";
import type { GatewayControl } from "./gateway-handlers.ts";
import { mediaHandlers } from "./media-handlers.ts";
import { logHandlers, type LogDesk } from "./log-handlers.ts";
import { memoryHandlers, type GatewayMemory } from "./memory-handlers.ts";
import { messageHandlers } from "./message-handlers.ts";
import { modelHandlers } from "./model-handlers.ts";
import { pairingHandlers } from "./pairing-handlers.ts";
import { pluginHandlers, type PluginDesk } from "./plugin-handlers.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";
import { serverHandlers, type ServerDesk } from "./server-handlers.ts";
import { sessionHandlers } from "./session-handlers.ts";
import { setupHandlers } from "./setup-handlers.ts";
import type { SetupControl } from "./setup-handlers.ts";
import { skillHandlers, type SkillDesk } from "./skill-handlers.ts";
import { subagentHandlers } from "./subagent-handlers.ts";
import { systemHandlers } from "./system-handlers.ts";
import { toolHandlers } from "./tool-handlers.ts";
import { usageHandlers } from "./usage-handlers.ts";
import type { WebchatHub } from "./webchat-hub.ts";

/** The dependencies of methods. */
export interface RpcServices extends GatewayControl {
  readonly engine: Engine;
  readonly hub: WebchatHub;
  readonly setup: SetupControl;
  readonly channelDesk: ChannelDesk;
  readonly accessDesk: AccessDesk;
  readonly configDesk: ConfigDesk;
  readonly logDesk: LogDesk;
  readonly fileDesk: FileDesk;
  readonly pluginDesk: PluginDesk;
  readonly skillDesk: SkillDesk;
  readonly serverDesk: ServerDesk;
  readonly agentDesk: AgentDesk;
  readonly memory: GatewayMemory;
}

/** One handler for every method of the protocol; a missing one does not compile. */
export type RpcHandlers = RpcHandlersOf<RpcMethod>;

/** Creates the handlers, one file for each group of methods. */
export function createRpcHandlers({
  engine,
  hub,
  setup,
  channelDesk,
  accessDesk,
  memory,
  configDesk,
  logDesk,
  fileDesk,
  pluginDesk,
  skillDesk,
  serverDesk,
  agentDesk,
  ...control
}: RpcServices): RpcHandlers {
  return {
    ...chatHandlers(engine, hub),
    ...branchHandlers(engine),
    ...agentHandlers(engine, agentDesk),
    ...attachmentHandlers(engine),
    ...sessionHandlers(engine),
    ...subagentHandlers(engine),
    ...checkpointHandlers(engine),
    ...commandHandlers(engine),
    ...configHandlers(configDesk),
    ...contextHandlers(engine),
    ...deadLetterHandlers(engine.deadLetters),
    ...cronHandlers(engine),
    ...fileHandlers(engine, fileDesk),
    ...heartbeatHandlers(engine),
    ...logHandlers(logDesk),
    ...mediaHandlers(engine),
    ...memoryHandlers(engine, memory),
    ...messageHandlers(engine),
    ...modelHandlers(engine, setup),
    ...accessHandlers(accessDesk),
    ...channelHandlers(engine, channelDesk),
    ...pairingHandlers(engine.pairing),
    ...pluginHandlers(pluginDesk),
    ...serverHandlers(engine, serverDesk),
    ...skillHandlers(engine, skillDesk),
    ...approvalHandlers(engine.parts.approvals),
    ...toolHandlers(engine),
    ...usageHandlers(engine),
    ...editorHandlers(engine.parts),
    ...setupHandlers(setup),
    ...systemHandlers(engine),
    ...gatewayHandlers(engine, control),
  };
}
