import type { RunFacts, RunKind, RunSandbox } from "@factotum/agent-contract";
import type { InputRecord } from "@factotum/store";
import { sessionPlace } from "../conversation/session-context.ts";
import type { SessionFacts } from "../conversation/session-context.ts";
import { confined } from "../agents/run-place.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { chargedKind } from "../run-policy/input-traits.ts";

/** Facts about a turn for its tools. `elevated`: commands of a sandboxed turn run on the host. `inputs`: what asked for it, and so what originally started it. */
export async function runFacts(
  turn: { readonly id: string; readonly kind: RunKind; readonly owner: boolean; readonly sessionKey: string; readonly sessionId: string },
  context: Pick<SessionFacts, "agent" | "isGroup" | "workspace">,
  { agents }: Pick<RunningConfig, "agents">,
  { elevated = false, inputs = [] }: { readonly elevated?: boolean; readonly inputs?: readonly Pick<InputRecord, "admission">[] } = {},
): Promise<RunFacts> {
  const { agent } = context;
  const { id, kind, owner, sessionKey, sessionId } = turn;
  const cause = chargedKind(kind, inputs);
  const confinements = inputs.flatMap(({ admission }) => admission.confinement ?? []);
  const { folder, sandbox } = await agents.placeFor(agent, { owner, sessionKey, ...sessionPlace(context) });
  return {
    runId: id,
    kind,
    ...(cause === kind ? {} : { cause }),
    agentId: agent.config.id,
    sessionKey,
    sessionId,
    workspace: folder,
    owner,
    ...(sandbox === undefined ? {} : { sandbox: elevated ? onHost(sandbox) : confined(sandbox, confinements) }),
    timeZone: agent.config.userTimezone,
  };
}

/** What is left of a sandbox whose commands run on the host: the workspace, and the file tools' access to it. */
function onHost({ workspaceAccess, shared }: RunSandbox): RunSandbox {
  return { workspaceAccess, shared, elevated: true };
}
