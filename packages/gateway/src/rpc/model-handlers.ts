import type { RpcMethod } from "@factotum/protocol";
import type { Engine } from "../engine/engine.ts";
import { testModel } from "../requests/test-model.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";
import type { SetupControl } from "./setup-handlers.ts";

/** The methods of models: which there are, and whether one answers. */
export function modelHandlers(
  { parts }: Engine,
  setup: Pick<SetupControl, "models" | "check">,
): RpcHandlersOf<Extract<RpcMethod, `models.${string}`>> {
  return {
    "models.list": async (query, { signal }) => setup.models(query, { signal }),
    "models.test": async ({ model }, { signal }) =>
      testModel(model, { ...parts, check: async (target, options) => setup.check(target, options) }, { signal }),
  };
}
