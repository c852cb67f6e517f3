import type { RpcMethod, RpcMethods } from "@factotum/protocol";
import { useSession } from "../../app/app-context.ts";
import { useRpcMutation } from "../../data/use-rpc.ts";
import { RpcError } from "../../gateway-client/rpc-error.ts";
import { useToasts } from "../../ui/toasts.tsx";

/** A decision on an item. */
interface Decision<Method extends RpcMethod> {
  /** Resolves with the result, or with nothing if it failed, which a toast says. */
  readonly decide: (params: RpcMethods[Method]["params"]) => Promise<RpcMethods[Method]["result"] | undefined>;
  /** True until the list without the item is there. */
  readonly isBusy: boolean;
}

/** A request that decides on an item. The list and the badge follow it. */
export function useDecision<Method extends RpcMethod>(method: Method): Decision<Method> {
  const { inbox } = useSession();
  const toasts = useToasts();
  const mutation = useRpcMutation(method);
  const decide: Decision<Method>["decide"] = async (params) => {
    const item = document.activeElement?.closest("li");
    try {
      return await mutation.mutateAsync(params);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      toasts.show({ kind: "error", text: error.message });
      // The button was disabled meanwhile, and has lost the focus, or is about to.
      const active = document.activeElement;
      if (active === document.body || item?.contains(active) === true) item?.focus();
      return undefined;
    } finally {
      inbox.refresh();
    }
  };
  return { decide, isBusy: mutation.isPending };
}
