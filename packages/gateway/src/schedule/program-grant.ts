import type { JobCaller } from "@factotum/agent-contract";
import type { ApprovalStore, ProgramGrant, SessionStore } from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import { bindingDigest } from "../approvals/call-binding.ts";
import { modeOf } from "../conversation/session-mode.ts";

/** What has allowed a call that makes or changes a job with programs: it runs, so something has. `undefined` if it names no program. */
export async function programGrantOf(
  { run, binding }: JobCaller,
  { store, running }: { readonly store: ApprovalStore & SessionStore; readonly running: Pick<RunningConfig, "config"> },
): Promise<ProgramGrant | undefined> {
  if (binding === undefined) return undefined;
  const { agentId, sessionId, sessionKey, runId, workspace, owner } = run;
  const approval = await store.findGrant({ binding: bindingDigest("cron", binding, workspace), agentId, sessionId, turnId: runId });
  if (approval !== undefined) return { type: "approval", id: approval.id };
  const isByMode = running.config.tools.exec.mode !== "full" && owner && modeOf(await store.readSession(sessionKey)) === "full";
  return { type: isByMode ? "owner" : "mode" };
}
