export { AcpAgents } from "./acp-agents.ts";
export { AGENT_LIMITS } from "./agent-settings.ts";
export type { AcpAgentsOptions, AgentLimits, AgentServer, AgentSettings } from "./agent-settings.ts";
export { programProblem } from "./find-program.ts";
