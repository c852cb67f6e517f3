import { resetSession } from "./reset-session.ts";
import { findStaleness, resetPolicy } from "./session-freshness.ts";
import type { SessionFacts } from "./session-context.ts";
import type { InputJob } from "../queue/turn-job.ts";
import type { TurnServices } from "../services/turn-services.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";

/**
 * Begins the conversation anew when it was over before a person said this; else nothing. Decided by the time when the message came in, so that words
 * which had to wait for a turn of their conversation still belong to it. What no person says begins nothing anew.
 */
export async function resetIfStale<Context extends SessionFacts>(
  context: Context,
  sessionKey: string,
  { input }: InputJob,
  services: TurnServices,
): Promise<Context> {
  if (context.record === undefined || !RUN_POLICY[input.admission.kind].isFromPerson) return context;
  const policy = resetPolicy(services.config.session, { key: sessionKey, channel: input.message.origin.channel });
  const staleness = findStaleness(context.record, policy, { saidAtMs: input.receivedAtMs, time: context.agent.time });
  if (staleness === undefined) return context;
  const record = await resetSession(sessionKey, services);
  services.logger.info("A conversation begins anew by itself", { sessionKey, rule: staleness, before: context.sessionId });
  return { ...context, record, sessionId: record.sessionId };
}
