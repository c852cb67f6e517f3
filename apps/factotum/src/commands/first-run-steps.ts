import { httpFetch } from "@factotum/models";
import type { SetupState } from "@factotum/protocol";
import { firstRunExtensions } from "../compose/extensions.ts";
import type { FirstRunParts, StepOutcome } from "../first-run/first-run-parts.ts";
import { readSetupState } from "../first-run/read-setup-state.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { systemClock } from "../runtime/system-clock.ts";

/** The first-run dependencies of a command. */
export function firstRunParts({ env }: CliContext): FirstRunParts {
  return { env, ...firstRunExtensions(env), fetch: httpFetch, clock: systemClock };
}

/** The result of a step, or an error with the reason of its refusal. */
export function doneOrFail<Done>(outcome: StepOutcome<Done>): { readonly type: "done" } & Done {
  if (outcome.type === "refused") throw new CliError("configInvalid", outcome.message);
  return outcome;
}

/** The current setup. Rejects with a `CliError` if the configuration is unusable. */
export async function setupState(context: CliContext): Promise<SetupState> {
  return doneOrFail(await readSetupState(firstRunParts(context))).state;
}
