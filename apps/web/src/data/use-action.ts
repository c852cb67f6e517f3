import type { RpcMethod, RpcMethods } from "@factotum/protocol";
import { RpcError } from "../gateway-client/rpc-error.ts";
import { useToasts } from "../ui/toasts.tsx";
import { type RpcMutationOptions, useRpcMutation } from "./use-rpc.ts";

/** Something that a button does. */
export interface Action<Method extends RpcMethod> {
  /** Resolves with the result, or with nothing if it failed, which a toast says. */
  readonly run: (params: RpcMethods[Method]["params"]) => Promise<RpcMethods[Method]["result"] | undefined>;
  readonly isBusy: boolean;
}

/** A request behind a button. Its failure is shown as a toast. */
export function useAction<Method extends RpcMethod>(method: Method, options: RpcMutationOptions = {}): Action<Method> {
  const toasts = useToasts();
  const mutation = useRpcMutation(method, options);
  return {
    isBusy: mutation.isPending,
    run: async (params) => {
      try {
        return await mutation.mutateAsync(params);
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        toasts.show({ kind: "error", text: error.message });
        return undefined;
      }
    },
  };
}
