export {
  ClientFrameSchema,
  CLOSE_CODES,
  CONNECT_TIMEOUT_MS,
  MAX_FRAME_BYTES,
  MAX_UNAUTHENTICATED_FRAME_BYTES,
  RpcErrorCodeSchema,
  ServerFrameSchema,
} from "./frames.ts";
export { PROTOCOL_VERSION } from "./protocol-version.ts";
export type {
  ClientFrame,
  ConnectFrame,
  EventFrame,
  HelloFrame,
  RefusedFrame,
  RequestFrame,
  ResponseFrame,
  RpcErrorBody,
  RpcErrorCode,
  ServerFrame,
} from "./frames.ts";
export { APPROVAL_DECISIONS, ApprovalSchema } from "./shapes/approvals.ts";
export type { Approval, ApprovalDecision } from "./shapes/approvals.ts";
export { TOOL_STATES, ToolOccasionSchema, ToolRuleSchema, ToolSummarySchema } from "./shapes/tools.ts";
export type { ToolOccasion, ToolRule, ToolState, ToolSummary } from "./shapes/tools.ts";
export type { AgentBinding } from "./shapes/bindings.ts";
export { ChatEntrySchema, ChatEventSchema, ChatSnapshotSchema } from "./shapes/chat.ts";
export type {
  ChatEntry,
  ChatEvent,
  ChatFile,
  ChatOutcome,
  ChatSnapshot,
  ChatToolCall,
  ChatWait,
  LiveRun,
  NoticeBlock,
} from "./shapes/chat.ts";
export type { MessageVersions, SentVersion } from "./methods/chat-methods.ts";
export { THINKING_LEVEL_IDS } from "./shapes/session-settings.ts";
export type { SessionModeId, SessionSettings, ThinkingLevelId } from "./shapes/session-settings.ts";
export { ConfigPatchResultSchema, ConfigReloadResultSchema, ConfigViewSchema } from "./shapes/config.ts";
export type { ConfigDifference, ConfigFinding, ConfigPatchResult, ConfigReloadResult, ConfigView } from "./shapes/config.ts";
export { CONTEXT_PART_TYPES, ContextReportSchema, ContextRequestSchema, ReplayDeltaSchema, ReplayResultSchema } from "./shapes/context.ts";
export type {
  ContextChange,
  ContextDiff,
  ContextImage,
  ContextOutcome,
  ContextPart,
  ContextPartType,
  ContextReport,
  ContextRequest,
  ContextSection,
  ContextSize,
  ContextTruncation,
  ReplayDelta,
  ReplayResult,
  RereadTokens,
} from "./shapes/context.ts";
export { EditorAnswerSchema, EditorRequestSchema, EditorServerSchema, MAX_EDITOR_SERVERS, MAX_EDITOR_TEXT_CHARS } from "./shapes/editor.ts";
export type { EditorAnswer, EditorOffer, EditorRequest, EditorServer } from "./shapes/editor.ts";
export { PairedSenderSchema, PairingRequestSchema } from "./shapes/pairing.ts";
export type { PairedSender, PairingRequest } from "./shapes/pairing.ts";
export { DeadLetterSchema } from "./shapes/dead-letters.ts";
export type { DeadLetter } from "./shapes/dead-letters.ts";
export {
  MemoryAuditNoteSchema,
  MemoryFileChangeSchema,
  MemoryFileSchema,
  MemoryForgetReportSchema,
  MemoryForgetScopeSchema,
  MemoryNoteSchema,
  MemoryNoteVersionSchema,
  MemorySearchHitSchema,
  MemoryStateSchema,
  MemoryTextSchema,
} from "./shapes/memory.ts";
export {
  HeartbeatSummarySchema,
  JobGrantsSchema,
  JobShapeSchema,
  JobSummarySchema,
  OccurrenceShapeSchema,
  OPTIONAL_JOB_PARTS,
} from "./shapes/jobs.ts";
export type { HeartbeatSummary, JobGrants, JobShape, JobSummary, OptionalJobPart, OccurrenceShape, ScheduleShape } from "./shapes/jobs.ts";
export type {
  MemoryAuditEntry,
  MemoryAuditNote,
  MemoryEntrySource,
  MemoryFinding,
  MemoryFile,
  MemoryFileChange,
  MemoryForgetReport,
  MemoryForgetScope,
  MemoryNote,
  MemoryNoteVersion,
  MemorySearchHit,
  MemoryState,
  MemoryText,
} from "./shapes/memory.ts";
export { SessionImportReportSchema, SessionSearchResultSchema, SessionSummarySchema } from "./shapes/session-summary.ts";
export type {
  SessionImportReport,
  SessionKind,
  SessionSearchResult,
  SessionSummary,
  SessionTextHit,
  SessionTitleHit,
} from "./shapes/session-summary.ts";
export { ChatSubagentSchema } from "./shapes/subagents.ts";
export type { ChatSubagent, ChatSubagentActivity, ChatSubagentState } from "./shapes/subagents.ts";
export { GatewayStatusSchema } from "./shapes/status.ts";
export type { AgentStatus, BlockedConversation, ChannelStatus, GatewayStatus, RefusedSender, RestingModel } from "./shapes/status.ts";
export { DamageEventsSchema } from "./shapes/damage.ts";
export type { DamageEvent } from "./shapes/damage.ts";
export { GatewayWarningsSchema } from "./shapes/warnings.ts";
export type { GatewayWarning, WarningCode } from "./shapes/warnings.ts";
export { HEARTBEAT_OFFER, hasUsableKey, isModelRefused, mayKeyBeRight, offeredHeartbeats, offeredModels } from "./setup-rules.ts";
export { AccountAccessSchema } from "./shapes/access.ts";
export type { AccessRole, AccountAccess, DmPolicy, GroupPolicy } from "./shapes/access.ts";
export {
  ChannelFormSchema,
  ChannelRemovalSchema,
  ChannelSavingSchema,
  ChannelTestSchema,
  KnownChannelSchema,
} from "./shapes/channel-setup.ts";
export type { ChannelForm, ChannelRemoval, ChannelSaving, ChannelSettingNote, ChannelTest, KnownChannel } from "./shapes/channel-setup.ts";
export { ChannelLoginStepSchema, ChannelProbeSchema } from "./shapes/channels.ts";
export type { ChannelLoginStep, ChannelProbe } from "./shapes/channels.ts";
export { SetupCheckSchema, SetupStateSchema } from "./shapes/setup.ts";
export type { SetupCheck, SetupHeartbeat, SetupProvider, SetupState } from "./shapes/setup.ts";
export { CommandSummarySchema } from "./shapes/commands.ts";
export type { CommandSummary } from "./shapes/commands.ts";
export { MAX_RECORDING_BYTES } from "./methods/media-methods.ts";
export { MAX_NOTE_TEXT_CHARS } from "./methods/memory-methods.ts";
export { LOG_LEVEL_IDS, LogPartSchema } from "./shapes/logs.ts";
export type { LogEntry, LogField, LogLevelId, LogPart } from "./shapes/logs.ts";
export { MessageTraceSchema } from "./shapes/message-trace.ts";
export type { MessageTrace, TracedCall, TracedInput, TracedSend } from "./shapes/message-trace.ts";
export { ModelListSchema, ModelTestSchema } from "./shapes/models.ts";
export type { ModelList, ModelPrice, ModelSummary, ModelTest } from "./shapes/models.ts";
export { RunUsageSchema, USAGE_GROUPS, UsageReportSchema } from "./shapes/usage.ts";
export type { RunUsage, UsageAmount, UsageGroup, UsageReport } from "./shapes/usage.ts";
export { isRpcMethod, RPC_METHODS } from "./methods/method-table.ts";
export type { RpcMethod, RpcMethods, RpcMethodSchemas } from "./methods/method-table.ts";
export type { RpcAccess } from "./methods/define-methods.ts";
export type { RpcEvent, RpcEvents } from "./rpc-events.ts";
export { RPC_EVENTS } from "./rpc-events.ts";
export type { AgentRunResult } from "./shapes/agent-run.ts";
export { MAX_CHAT_ATTACHMENTS, MAX_UPLOAD_BYTES, retriedKey, retryKey } from "./webchat.ts";
export type { ChatAttachment, WebchatDelivery, WebchatInput, WebchatSocket } from "./webchat.ts";
export type { LastRun, ScheduleStatus } from "./shapes/schedule-status.ts";
export {
  KnowledgeFileSchema,
  MAX_KNOWLEDGE_FILE_BYTES,
  MAX_UPLOAD_PART_BYTES,
  MAX_WORKSPACE_FILE_CHARS,
  WORKSPACE_FILES,
  WorkspaceFileSchema,
  WorkspaceFileVersionSchema,
} from "./shapes/workspace-files.ts";
export type { KnowledgeFile, WorkspaceFile, WorkspaceFileName, WorkspaceFileVersion } from "./shapes/workspace-files.ts";
export { PluginPackageSchema, PluginPlanSchema, PluginWorkSchema, ScanFindingSchema } from "./shapes/plugins.ts";
export type { PluginPackage, PluginPart, PluginPlan, PluginWork, ScanFinding } from "./shapes/plugins.ts";
export type { WebhookDelivery } from "./methods/webhook-methods.ts";
export type { PluginInstallation } from "./methods/plugin-methods.ts";
export { SkillDetailsSchema, SkillPlanSchema, SkillSummarySchema } from "./shapes/skills.ts";
export type { SkillDetails, SkillPlan, SkillSummary } from "./shapes/skills.ts";
export type { SkillInstallation } from "./methods/skill-methods.ts";
export { ToolServerSchema } from "./shapes/tool-servers.ts";
export type { ToolServer } from "./shapes/tool-servers.ts";
