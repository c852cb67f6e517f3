import type { FactotumConfig } from "@factotum/config";
import { agentSessionKey } from "../routing/session-key.ts";

/** One end of a message between agents: a session, and its agent. */
export interface RuleEnd {
  readonly sessionKey: string;
  readonly agentId: string;
}

/** The keys of the configuration that decide which agents reach each other. */
export type AgentRuleConfig = Pick<FactotumConfig, "defaultAgentId"> & {
  readonly session: Pick<FactotumConfig["session"], "mainKey">;
  readonly tools: Pick<FactotumConfig["tools"], "agentToAgent">;
};

/** `main` in a rule: the default agent's main session, also where an agent has that id. */
const MAIN = "main";

/** Whether `tools.agentToAgent` lets a session of one agent reach a session of another. A rule names an agent, `main`, or with `*` everything. */
export function mayReach(from: RuleEnd, to: RuleEnd, config: AgentRuleConfig): boolean {
  const { enabled, allow } = config.tools.agentToAgent;
  return enabled && allow.some((rule) => names(rule.from, from, config) && names(rule.to, to, config));
}

/** Whether a rule lets the session reach anything of an agent. */
export function mayReachAgent(from: RuleEnd, agentId: string, config: AgentRuleConfig): boolean {
  return mayReach(from, { agentId, sessionKey: agentSessionKey(agentId, config.session.mainKey) }, config);
}

function names(word: string, end: RuleEnd, { defaultAgentId, session }: AgentRuleConfig): boolean {
  if (word === "*") return true;
  if (word === MAIN) return end.sessionKey === agentSessionKey(defaultAgentId, session.mainKey);
  return word.toLowerCase() === end.agentId;
}
