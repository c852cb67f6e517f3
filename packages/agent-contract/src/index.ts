export { COMPACTION_DEFAULTS } from "./compaction-defaults.ts";
export type { JsonObject, JsonSchema, JsonValue } from "./json.ts";
export type { ImageContent, TextContent, ThinkingContent, ToolCallContent } from "./content.ts";
export type {
  AgentMessage,
  AssistantMessage,
  CompactionMessage,
  StopReason,
  ToolResultMessage,
  UserMessage,
  KeptFile,
  UserMessageParts,
} from "./messages.ts";
export { addUsage, joinUsage, NO_USAGE, NO_USAGE_TOTALS } from "./usage.ts";
export type { Usage, UsageTotals } from "./usage.ts";
export { commandSandbox, RUN_KINDS, THINKING_LEVELS } from "./run.ts";
export type { RunFacts, RunKind, RunLimits, RunSandbox, ThinkingLevel, ToolCaller } from "./run.ts";
export type {
  AgentTool,
  AgentToolResult,
  FilledPrompt,
  InspectedCall,
  MessagingFeatures,
  SourceCommand,
  SourcePrompt,
  ToolCall,
  ToolOptions,
  ToolSchema,
  ToolSource,
  ToolTraits,
} from "./tool.ts";
export type {
  AgentSessionKind,
  AgentSessions,
  ListedSession,
  ReachableAgent,
  SessionFilter,
  SessionHistoryPage,
  SessionList,
  SessionMessage,
  SessionReference,
  SessionSendOutcome,
} from "./agent-sessions.ts";
export type { EditorCommand, EditorFiles, EditorStart, EditorTerminal, EditorTerminals, EditorWrite } from "./editor.ts";
export type { ImageOrder, MadeFile, MediaCallOptions, MediaModels, MediaOutcome } from "./media-models.ts";
export type { ModelSampler, SamplingOutcome, SamplingRequest } from "./model-sampler.ts";
export { EXTERNAL_CALL, EXTERNAL_PERMISSION, EXTERNAL_PROVIDER, externalModelInfo } from "./external-agents.ts";
export type { ExternalAgents, ExternalAgentView, ExternalConversation } from "./external-agents.ts";
export { MODEL_APIS } from "./model.ts";
export type {
  CacheLifetime,
  CacheRetention,
  ModelApi,
  ModelClient,
  ModelCost,
  ModelEvent,
  ModelInfo,
  ModelRequest,
  SystemPrompt,
} from "./model.ts";
export { ModelError } from "./model-error.ts";
export type { ModelErrorCode, Retry } from "./model-error.ts";
export type { AgentEvent, ModelStreamEvent, RunFailureCode, RunOutcome, SteeringQueue } from "./events.ts";
export type {
  BackgroundCommand,
  BackgroundCommands,
  ChangeCheck,
  ChangeChecker,
  CheckedFile,
  Clock,
  CommandOptions,
  CommandOutput,
  CommandRequest,
  CommandResult,
  CommandRunner,
  FileBefore,
  FileChangePlan,
  FileCheckpoints,
  FileProvenance,
  FileWrite,
  InputOutcome,
  Logger,
  MessageCard,
  MessageOperation,
  Messenger,
  MessengerRequest,
  MessengerResult,
  OutputPart,
  PlanBoard,
  PlanStep,
  Question,
  Questioner,
  QuestionOutcome,
  Random,
  Restarter,
  RunningCommand,
  SessionReporter,
  SettingsAnswer,
  SettingsChange,
  SettingsService,
} from "./ports.ts";
export type {
  SpawnAttachment,
  SpawnOutcome,
  SpawnRequest,
  SubagentChange,
  SubagentLog,
  Subagents,
  SubagentState,
  SubagentView,
} from "./subagents.ts";
export type { CommandFile, LeftOutSkill, SkillEntry, SkillIndex, SkillPlace, SkillSource, SkillUse } from "./skill.ts";
export type {
  JobCaller,
  JobCatchUp,
  JobChange,
  JobCheck,
  JobDelivery,
  JobOccurrence,
  JobPayload,
  JobReceipt,
  JobSchedule,
  JobSpec,
  JobView,
  ScheduledJobs,
  WakeResult,
} from "./jobs.ts";
export { describeEnd } from "./describe-end.ts";
export { createServerRun, renderServerCommand } from "./server-command.ts";
export type { ServerCommand, ServerSandbox } from "./server-command.ts";
export { nearestName } from "./nearest-name.ts";
export { plural } from "./plural.ts";
export { withoutUndefined } from "./without-undefined.ts";
export type { WithoutUndefined } from "./without-undefined.ts";
export type {
  AuditedEntry,
  AuditedNote,
  AuditNotes,
  MemoryAnswer,
  MemoryChange,
  MemoryEmbedded,
  MemoryHit,
  MemoryIndexed,
  MemoryOrigin,
  MemoryPassage,
  MemoryProvider,
  MemoryQuery,
  MemorySourceKind,
  MemoryStatus,
  VersionedNote,
  NoteVersion,
  NoteEntrySource,
  NoteFinding,
  NoteGate,
  NoteVerdict,
} from "./memory.ts";
export type { TextEmbeddings } from "./text-embeddings.ts";
