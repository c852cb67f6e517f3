import { ACCESS_METHODS, type AccessMethods } from "./access-methods.ts";
import { AGENT_METHODS, type AgentMethods } from "./agent-methods.ts";
import { APPROVAL_METHODS, type ApprovalMethods } from "./approval-methods.ts";
import { ATTACHMENT_METHODS, type AttachmentMethods } from "./attachment-methods.ts";
import { CHANNEL_METHODS, type ChannelMethods } from "./channel-methods.ts";
import { CHAT_METHODS, type ChatMethods } from "./chat-methods.ts";
import { CHECKPOINT_METHODS, type CheckpointMethods } from "./checkpoint-methods.ts";
import { COMMAND_METHODS, type CommandMethods } from "./command-methods.ts";
import { CONFIG_METHODS, type ConfigMethods } from "./config-methods.ts";
import { CRON_METHODS, type CronMethods } from "./cron-methods.ts";
import { CONTEXT_METHODS, type ContextMethods } from "./context-methods.ts";
import { DEAD_LETTER_METHODS, type DeadLetterMethods } from "./dead-letter-methods.ts";
import { EDITOR_METHODS, type EditorMethods } from "./editor-methods.ts";
import { FILE_METHODS, type FileMethods } from "./file-methods.ts";
import { GATEWAY_METHODS, type GatewayMethods } from "./gateway-methods.ts";
import { HEARTBEAT_METHODS, type HeartbeatMethods } from "./heartbeat-methods.ts";
import type { MethodTable } from "./define-methods.ts";
import { LOG_METHODS, type LogMethods } from "./log-methods.ts";
import { MEDIA_METHODS, type MediaMethods } from "./media-methods.ts";
import { MEMORY_METHODS, type MemoryMethods } from "./memory-methods.ts";
import { MESSAGE_METHODS, type MessageMethods } from "./message-methods.ts";
import { MODEL_METHODS, type ModelMethods } from "./model-methods.ts";
import { PAIRING_METHODS, type PairingMethods } from "./pairing-methods.ts";
import { PLUGIN_METHODS, type PluginMethods } from "./plugin-methods.ts";
import { SERVER_METHODS, type ServerMethods } from "./server-methods.ts";
import { SESSION_METHODS, type SessionMethods } from "./session-methods.ts";
import { SETUP_METHODS, type SetupMethods } from "./setup-methods.ts";
import { SKILL_METHODS, type SkillMethods } from "./skill-methods.ts";
import { SUBAGENT_METHODS, type SubagentMethods } from "./subagent-methods.ts";
import { SYSTEM_METHODS, type SystemMethods } from "./system-methods.ts";
import { TOOL_METHODS, type ToolMethods } from "./tool-methods.ts";
import { USAGE_METHODS, type UsageMethods } from "./usage-methods.ts";
import { WEBHOOK_METHODS, type WebhookMethods } from "./webhook-methods.ts";

/** Every method with its parameters and result. */
export interface RpcMethods
  extends
    ChatMethods,
    AgentMethods,
    AttachmentMethods,
    SessionMethods,
    SubagentMethods,
    CheckpointMethods,
    CommandMethods,
    ConfigMethods,
    ContextMethods,
    DeadLetterMethods,
    CronMethods,
    FileMethods,
    HeartbeatMethods,
    LogMethods,
    MediaMethods,
    MemoryMethods,
    MessageMethods,
    ModelMethods,
    PairingMethods,
    PluginMethods,
    ServerMethods,
    SkillMethods,
    ApprovalMethods,
    ToolMethods,
    UsageMethods,
    WebhookMethods,
    GatewayMethods,
    SetupMethods,
    SystemMethods,
    AccessMethods,
    ChannelMethods,
    EditorMethods {}

/** Name of a method. */
export type RpcMethod = keyof RpcMethods;

/** Every method: who may call it, whether it is rejected while the store is not writable, and parsers for its parameters and its result. */
export type RpcMethodSchemas = MethodTable<RpcMethods>;

/**
 * The methods, one row each. The gateway authorises and validates with them, clients may validate results. Stopping a run also writes to the store, but is
 * always allowed.
 */
export const RPC_METHODS: RpcMethodSchemas = {
  ...CHAT_METHODS,
  ...AGENT_METHODS,
  ...ATTACHMENT_METHODS,
  ...SESSION_METHODS,
  ...SUBAGENT_METHODS,
  ...CHECKPOINT_METHODS,
  ...COMMAND_METHODS,
  ...CONFIG_METHODS,
  ...CONTEXT_METHODS,
  ...DEAD_LETTER_METHODS,
  ...CRON_METHODS,
  ...FILE_METHODS,
  ...HEARTBEAT_METHODS,
  ...LOG_METHODS,
  ...MEDIA_METHODS,
  ...MEMORY_METHODS,
  ...MESSAGE_METHODS,
  ...MODEL_METHODS,
  ...PAIRING_METHODS,
  ...PLUGIN_METHODS,
  ...SERVER_METHODS,
  ...SKILL_METHODS,
  ...APPROVAL_METHODS,
  ...TOOL_METHODS,
  ...USAGE_METHODS,
  ...WEBHOOK_METHODS,
  ...GATEWAY_METHODS,
  ...SETUP_METHODS,
  ...SYSTEM_METHODS,
  ...ACCESS_METHODS,
  ...CHANNEL_METHODS,
  ...EDITOR_METHODS,
};

/** True for the name of a method of this build. */
export function isRpcMethod(name: string): name is RpcMethod {
  return Object.hasOwn(RPC_METHODS, name);
}
