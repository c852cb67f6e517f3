export { AcpAgents, programProblem } from "./acp-agents.ts";
export { AGENT_LIMITS } from "./agent-settings.ts";
export type { AcpAgentsOptions, AgentLimits, AgentSettings } from "./agent-settings.ts";
