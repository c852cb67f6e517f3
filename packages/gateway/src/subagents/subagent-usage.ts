import { joinUsage } from "@factotum/agent-contract";
import type { UsageTotals } from "@factotum/agent-contract";
import type { SessionRecord } from "@factotum/store";

/** What a sub-agent has used since it was started: a reset of its session begins no other sub-agent. */
export function usedBy(session: Pick<SessionRecord, "usage" | "earlierUsage"> | undefined): UsageTotals | undefined {
  return session?.earlierUsage === undefined ? session?.usage : joinUsage(session.earlierUsage, session.usage);
}
