import type { AgentMessage, RunFacts } from "@factotum/agent-contract";
import type { SystemEvent } from "@factotum/agent-core";
import { announceChanges, readSources, skillsOf } from "../workspace/source-changes.ts";
import { offeredSkills } from "./offered-skills.ts";
import { parseBasis } from "./prompt-cause.ts";
import type { ResolvedPrompt } from "./prompt-resolver.ts";
import { sessionPlace } from "../conversation/session-context.ts";
import type { SessionFacts } from "../conversation/session-context.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import type { SessionCache } from "../context/session-cache.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";

/** The facts of a turn that affect its events. */
export interface SourceEventsQuery {
  readonly sessionKey: string;
  readonly history: readonly AgentMessage[];
  readonly nowMs: number;
  readonly facts: RunFacts;
  readonly signal: AbortSignal;
}

/**
 * Announces changes of the files and skills in the session's prompt, since the prompt itself waits for a named cause. Reads the disk only if the watch reports
 * a possible change since the session's last turn.
 */
export async function sourceEvents(
  query: SourceEventsQuery,
  prompt: ResolvedPrompt,
  context: SessionFacts,
  { running, cache }: { readonly running: RunningConfig; readonly cache: SessionCache },
): Promise<readonly SystemEvent[]> {
  const { agent, group, sessionId } = context;
  // Elsewhere the workspace's files cannot be opened; they are announced to a turn that can open them.
  const isOwnWorkspace = query.facts.workspace === agent.config.workspace;
  const generation = agent.sources.generation();
  if (cache.sourceGeneration(sessionId) === generation) return [];
  if (!RUN_POLICY[query.facts.kind].reportsChangesAgain && isOwnWorkspace) cache.setSourceGeneration(sessionId, generation);
  const { sources: rendered, deferredTools = [] } = parseBasis(prompt.record.basis) ?? {};
  if (rendered === undefined) return [];
  const { folder: workspace } = await running.agents.placeFor(agent, {
    owner: true,
    sessionKey: query.sessionKey,
    ...sessionPlace(context),
  });
  const toolNames = [...prompt.record.tools.map(({ name }) => name), ...deferredTools];
  const skills = offeredSkills(await agent.skills({ workspace, group, signal: query.signal }), toolNames);
  const now = await readSources(agent.config.workspace, skills);
  return isOwnWorkspace
    ? announceChanges(rendered, now, query.history, query.nowMs)
    : announceChanges(skillsOf(rendered), skillsOf(now), query.history, query.nowMs);
}
