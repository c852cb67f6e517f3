/** True for the session of a sub-agent. */
export function isSubagentKey(sessionKey: string): boolean {
  return /^agent:[^:]+:subagent:/i.test(sessionKey);
}

/** A key for a new conversation with an agent; `randomId` makes it unique. */
export function newSessionKey(agentId: string, randomId: string): string {
  return `agent:${agentId}:webchat:direct:${randomId.slice(0, 12)}`;
}
