import type { RpcMethod } from "@factotum/protocol";
import { useSession } from "../../app/app-context.ts";
import { type Action, useAction } from "../../data/use-action.ts";

/** A decision on an item. */
interface Decision<Method extends RpcMethod> {
  /** Resolves with the result, or with nothing if it failed, which a toast says. */
  readonly decide: Action<Method>["run"];
  /** True until the list without the item is there. */
  readonly isBusy: boolean;
}

/** A request that decides on an item. The list and the badge follow it. */
export function useDecision<Method extends RpcMethod>(method: Method): Decision<Method> {
  const { inbox } = useSession();
  const { run, isBusy } = useAction(method);
  const decide: Decision<Method>["decide"] = async (params) => {
    const item = document.activeElement?.closest("li");
    const result = await run(params);
    inbox.refresh();
    // The button was disabled meanwhile, and has lost the focus, or is about to.
    const active = document.activeElement;
    if (result === undefined && (active === document.body || item?.contains(active) === true)) item?.focus();
    return result;
  };
  return { decide, isBusy };
}
