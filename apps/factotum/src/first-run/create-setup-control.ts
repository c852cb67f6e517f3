import { RpcError, type SetupControl } from "@factotum/gateway";
import type { FirstRunParts, StepOutcome } from "./first-run-parts.ts";

/** Additions of a running gateway to the steps. */
export interface SetupControlOptions extends FirstRunParts {
  /** Called with every key before it is used, so that no log line shows it. */
  readonly onSecret: (key: string) => void;
  /** Applies a change; resolves with the reason if that failed. */
  readonly applyChange: () => Promise<string | undefined>;
}

/** The steps of a first run for the clients of a running gateway. Each is loaded when it is asked for: most gateways are set up already. */
export function createSetupControl(options: SetupControlOptions): SetupControl {
  const inUse = async <Done>(outcome: StepOutcome<Done>): Promise<Done> => {
    const result = done(outcome);
    const problem = await options.applyChange();
    if (problem !== undefined) throw refused(`It is saved, but the gateway cannot use it: ${problem}`);
    return result;
  };
  return {
    state: async () => {
      const { readSetupState } = await import("./read-setup-state.ts");
      return done(await readSetupState(options)).state;
    },
    check: async (target, { signal }) => {
      if (target.key !== undefined) options.onSecret(target.key.trim());
      const { checkSetup } = await import("./check-setup.ts");
      return checkSetup(target, options, { signal });
    },
    models: async (query, { signal }) => {
      const { listModels } = await import("./list-models.ts");
      return done(await listModels(query, options, { signal })).list;
    },
    storeKey: async (provider, key) => {
      options.onSecret(key.trim());
      const { storeKey } = await import("./store-key.ts");
      return inUse(await storeKey(provider, key, options));
    },
    forgetKey: async (provider) => {
      const { forgetKey } = await import("./forget-key.ts");
      return inUse(await forgetKey(provider, options));
    },
    chooseModel: async (reference) => {
      const { chooseModel } = await import("./choose-model.ts");
      return inUse(await chooseModel(reference, options));
    },
    nameAssistant: async (name) => {
      const { nameAssistant } = await import("./name-assistant.ts");
      return inUse(await nameAssistant(name, options));
    },
    setHeartbeat: async (choice) => {
      const { setHeartbeat } = await import("./set-heartbeat.ts");
      return inUse(await setHeartbeat(choice, options));
    },
  };
}

/** The result of a step; a refusal is an error of the caller. */
function done<Done>(outcome: StepOutcome<Done>): Done {
  if (outcome.type === "refused") throw refused(outcome.message);
  const { type: _, ...result } = outcome;
  return result as Done;
}

function refused(message: string): RpcError {
  return new RpcError("invalid-request", message);
}
