export { BOOTSTRAP_NAMES } from "./bootstrap/bootstrap-file.ts";
export { planBootstrap } from "./bootstrap/plan-bootstrap.ts";
export { contextBudget, shouldCompact, shouldCompactAhead, shouldFlushMemory } from "./compaction/context-budget.ts";
export { fallbackCompaction } from "./compaction/fallback-compaction.ts";
export { memoryFlushPrompt } from "./compaction/memory-flush-prompt.ts";
export { planCompaction } from "./compaction/plan-compaction.ts";
export { renderSummaryMessage } from "./compaction/render-summary-message.ts";
export { fitToMerge, groupSummaries, limitSummary, renderSummaryRequest } from "./compaction/summary-request.ts";
export { renderEffectivePrompt } from "./effective-prompt/render-effective-prompt.ts";
export { createTimeFormat } from "./effective-prompt/time-format.ts";
export type { TimeFormat } from "./effective-prompt/time-format.ts";
export { applyHistoryLimit } from "./history/apply-history-limit.ts";
export { beginsTurn } from "./history/begins-turn.ts";
export { dropImages, IMAGE_REMOVED } from "./history/drop-images.ts";
export { pruneToolResults } from "./history/prune-tool-results.ts";
export { quarantine } from "./history/quarantine.ts";
export { beginsQuietRun, isHeartbeatOk, withoutQuietRuns } from "./history/quiet-runs.ts";
export { rerenderMessages } from "./history/rerender-messages.ts";
export { runAgent } from "./loop/run-agent.ts";
export { toolResultMaxChars, truncateToolResult } from "./loop/truncate-tool-result.ts";
export { DEFAULT_HEARTBEAT_PROMPT } from "./prompt/heartbeat-prompt.ts";
export { opensFiles } from "./prompt/opens-files.ts";
export { orderTools } from "./prompt/order-tools.ts";
export { promptVariant } from "./prompt/prompt-variant.ts";
export { renderSubagentContext } from "./prompt/render-subagent-context.ts";
export { joinSections, renderSections, renderSystemPrompt } from "./prompt/render-system-prompt.ts";
export { PROMPT_SECTIONS } from "./prompt/sections/index.ts";
export { openCalls } from "./projection/open-calls.ts";
export { projectMessages } from "./projection/project-messages.ts";
export { describeContext } from "./report/describe-context.ts";
export { sentForm } from "./report/describe-message.ts";
export { diffContext } from "./report/diff-context.ts";
export { cutText } from "./text/cut-text.ts";
export type { BootstrapFile, BootstrapName, BootstrapPlan, BootstrapTruncation, PlannedFile } from "./bootstrap/bootstrap-file.ts";
export type { BootstrapLimits } from "./bootstrap/plan-bootstrap.ts";
export {
  estimateContextTokens,
  estimateHistoryTokens,
  estimateMessageTokens,
  estimateTokens,
  IMAGE_TOKENS,
} from "./tokens/estimate-tokens.ts";
export type { ContextBudget, ContextBudgetOptions } from "./compaction/context-budget.ts";
export type { FallbackCompaction, FallbackOptions } from "./compaction/fallback-compaction.ts";
export type { CompactionChunk, CompactionOptions, CompactionPlan } from "./compaction/plan-compaction.ts";
export type { SummaryOptions, SummaryPart } from "./compaction/summary-request.ts";
export type { PruneResult } from "./history/prune-tool-results.ts";
export type { Quarantine } from "./history/quarantine.ts";
export type { BeforeTool, KnownResult, ModelSettings, RunAgentInput, RunAgentOptions, ToolDecision } from "./loop/run-input.ts";
export type { ContextDescription, ContextRequestFacts, DescribedPart, DescribedSection } from "./report/context-description.ts";
export type { ContextChange, ContextDifference } from "./report/diff-context.ts";
export type { PromptVariant } from "./prompt/prompt-variant.ts";
export type { SubagentFacts } from "./prompt/render-subagent-context.ts";
export type {
  PromptChannel,
  PromptFacts,
  PromptGroup,
  PromptMode,
  PromptReasoning,
  PromptRuntime,
  PromptSandbox,
  PromptSection,
  PromptSkill,
  PromptTool,
  RenderedSection,
  ToolOrigin,
} from "./prompt/prompt-facts.ts";
export type {
  AgentToAgentFacts,
  ConversationFacts,
  EffectivePrompt,
  EffectivePromptFacts,
  HistoryFacts,
  MediaFacts,
  PromptBody,
  ResponseFormat,
  SenderFacts,
  SystemEvent,
  TrustedFacts,
} from "./effective-prompt/effective-prompt-facts.ts";
