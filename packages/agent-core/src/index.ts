export { renderEffectivePrompt } from "./effective-prompt/render-effective-prompt.ts";
export { runAgent } from "./loop/run-agent.ts";
export { toolResultMaxChars, truncateToolResult } from "./loop/truncate-tool-result.ts";
export { orderTools } from "./prompt/order-tools.ts";
export { renderSections, renderSystemPrompt } from "./prompt/render-system-prompt.ts";
export { PROMPT_SECTIONS } from "./prompt/sections/index.ts";
export { openCalls } from "./projection/open-calls.ts";
export { projectMessages } from "./projection/project-messages.ts";
export type { BeforeTool, ModelSettings, RunAgentInput, RunAgentOptions, ToolDecision } from "./loop/run-input.ts";
export type {
  PromptFacts,
  PromptGroup,
  PromptMode,
  PromptRuntime,
  PromptSection,
  PromptSkill,
  PromptTool,
  RenderedSection,
  ToolOrigin,
} from "./prompt/prompt-facts.ts";
export type {
  ConversationFacts,
  EffectivePrompt,
  EffectivePromptFacts,
  HistoryFacts,
  PromptBody,
  SenderFacts,
  SystemEvent,
  TrustedFacts,
} from "./effective-prompt/effective-prompt-facts.ts";
