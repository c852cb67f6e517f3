import type { SetupControl, SetupOutcome } from "@factotum/gateway";
import { checkSetup } from "./check-setup.ts";
import { chooseModel } from "./choose-model.ts";
import type { FirstRunParts } from "./first-run-parts.ts";
import { nameAssistant } from "./name-assistant.ts";
import { readSetupState } from "./read-setup-state.ts";
import { storeKey } from "./store-key.ts";

/** Additions of a running gateway to the steps. */
export interface SetupControlOptions extends FirstRunParts {
  /** Called with every key before it is used, so that no log line shows it. */
  readonly onSecret: (key: string) => void;
  /** Applies a change; resolves with the reason if that failed. */
  readonly applyChange: () => Promise<string | undefined>;
}

/** The steps of a first run for the clients of a running gateway. */
export function createSetupControl(options: SetupControlOptions): SetupControl {
  const inUse = async <Done>(outcome: SetupOutcome<Done>): Promise<SetupOutcome<Done>> => {
    const problem = outcome.type === "done" ? await options.applyChange() : undefined;
    return problem === undefined ? outcome : { type: "refused", message: `It is saved, but the gateway cannot use it: ${problem}` };
  };
  return {
    state: async () => readSetupState(options),
    check: async (target, { signal }) => {
      if (target.key !== undefined) options.onSecret(target.key.trim());
      return checkSetup(target, options, { signal });
    },
    storeKey: async (provider, key) => {
      options.onSecret(key.trim());
      return inUse(await storeKey(provider, key, options));
    },
    chooseModel: async (reference) => inUse(await chooseModel(reference, options)),
    nameAssistant: async (name) => inUse(await nameAssistant(name, options)),
  };
}
