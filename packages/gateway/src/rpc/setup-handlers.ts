import type { ModelList, RpcMethod, RpcMethods, SetupCheck, SetupHeartbeat, SetupState } from "@factotum/protocol";
import { RpcError } from "./rpc-error.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";

/** The result of a setup change. `refused` says what to do; nothing was changed then. */
export type SetupOutcome<Done> = ({ readonly type: "done" } & Done) | { readonly type: "refused"; readonly message: string };

/**
 * Sets up models, the assistant's name and its heartbeat. Implementations return no keys, and resolve once a change is in use. The methods are those of the protocol with the
 * same names.
 */
export interface SetupControl {
  state(): Promise<SetupOutcome<{ readonly state: SetupState }>>;
  check(
    target: { readonly provider: string; readonly key?: string | undefined; readonly model?: string | undefined },
    options: { readonly signal: AbortSignal },
  ): Promise<SetupCheck>;
  /** `models.list`. */
  models(
    query: RpcMethods["models.list"]["params"],
    options: { readonly signal: AbortSignal },
  ): Promise<SetupOutcome<{ readonly list: ModelList }>>;
  storeKey(provider: string, key: string): Promise<SetupOutcome<{ readonly keyPlace: string }>>;
  forgetKey(provider: string): Promise<SetupOutcome<{ readonly keyPlace: string }>>;
  chooseModel(reference: string): Promise<SetupOutcome<{ readonly model: string }>>;
  nameAssistant(name: string): Promise<SetupOutcome<{ readonly name: string }>>;
  setHeartbeat(choice: SetupHeartbeat): Promise<SetupOutcome<{ readonly heartbeat: SetupHeartbeat }>>;
}

/** The methods of a first run. */
export function setupHandlers(setup: SetupControl): RpcHandlersOf<Extract<RpcMethod, `setup.${string}`>> {
  return {
    "setup.state": async () => done(await setup.state()).state,
    "setup.check": async (target, { signal }) => setup.check(target, { signal }),
    "setup.key": async ({ provider, key }) => {
      const { keyPlace } = done(await setup.storeKey(provider, key));
      return { keyPlace };
    },
    "setup.forgetKey": async ({ provider }) => ({ keyPlace: done(await setup.forgetKey(provider)).keyPlace }),
    "setup.model": async ({ model }) => ({ model: done(await setup.chooseModel(model)).model }),
    "setup.name": async ({ name }) => ({ name: done(await setup.nameAssistant(name)).name }),
    "setup.heartbeat": async ({ heartbeat }) => ({ heartbeat: done(await setup.setHeartbeat(heartbeat)).heartbeat }),
  };
}

/** The result of a step; a refusal is an error of the caller. */
export function done<Done>(outcome: SetupOutcome<Done>): Done {
  if (outcome.type === "refused") throw new RpcError("invalid-request", outcome.message);
  return outcome;
}
