import type { RestingModel } from "@factotum/protocol";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock } from "@factotum/agent-contract";
import type { Cooldowns } from "@factotum/models";

/** Models and credentials in cooldown, longest first. */
export function restingModels({ cooldowns, clock }: { readonly cooldowns: Cooldowns; readonly clock: Clock }): readonly RestingModel[] {
  const nowMs = clock.monotonic();
  return cooldowns.list(nowMs).map(({ provider, model, credential, reason, class: kind, untilMs }) => ({
    provider,
    ...withoutUndefined({ model }),
    credential,
    reason,
    class: kind,
    untilMs: Math.round(clock.now() + untilMs - nowMs),
  }));
}
