import type { SetupOutcome } from "@factotum/gateway";
import { httpFetch } from "@factotum/models";
import type { SetupState } from "@factotum/protocol";
import { CHANNELS } from "../compose/extensions.ts";
import type { FirstRunParts } from "../first-run/first-run-parts.ts";
import { readSetupState } from "../first-run/read-setup-state.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { systemClock } from "../runtime/system-clock.ts";

/** What the steps of a first run need of a command. */
export function firstRunParts({ env }: CliContext): FirstRunParts {
  return { env, channels: CHANNELS, fetch: httpFetch, clock: systemClock };
}

/** The result of a step, or the error that says why it was refused. */
export function doneOrFail<Done>(outcome: SetupOutcome<Done>): { readonly type: "done" } & Done {
  if (outcome.type === "refused") throw new CliError("configInvalid", outcome.message);
  return outcome;
}

/** What is set up. Rejects with a `CliError` when the configuration cannot be used. */
export async function setupState(context: CliContext): Promise<SetupState> {
  return doneOrFail(await readSetupState(firstRunParts(context))).state;
}
