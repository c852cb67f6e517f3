import type { RpcMethod, RpcMethods } from "@factotum/protocol";
import { useMutation, type UseMutationResult, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { useAppState, useSession } from "../app/app-context.ts";
import type { RpcError } from "../gateway-client/rpc-error.ts";
import { changedWith, namespaceOf, queryKey } from "./query-keys.ts";

type Params<Method extends RpcMethod> = RpcMethods[Method]["params"];
type Result<Method extends RpcMethod> = RpcMethods[Method]["result"];

/** Options of `useRpc`. */
export interface RpcOptions<Method extends RpcMethod> {
  /** False: nothing is requested yet. */
  readonly enabled?: boolean;
  /** Requests it again after this many milliseconds while the page is visible, or as long as the newest result has such a time. For what no event announces. */
  readonly everyMs?: number | ((newest: Result<Method>) => number | undefined);
}

/**
 * The result of a request, requested when it is shown, after an event that may have changed it, and with each new connection. Without a connection the last result
 * stays. The method must not change anything.
 */
export function useRpc<Method extends RpcMethod>(
  method: Method,
  params: Params<Method>,
  { enabled = true, everyMs }: RpcOptions<Method> = {},
): UseQueryResult<Result<Method>, RpcError> {
  const { client } = useSession();
  const connected = useAppState((state) => state.connection.type === "connected");
  return useQuery<Result<Method>, RpcError>({
    queryKey: queryKey(method, params),
    queryFn: () => client.request(method, params),
    enabled: enabled && connected,
    refetchInterval: ({ state: { data } }) => (typeof everyMs === "function" ? data && everyMs(data) : everyMs) ?? false,
  });
}

/** Options of `useRpcMutation`. */
export interface RpcMutationOptions {
  /** Milliseconds within which the gateway answers; 30 seconds if omitted. */
  readonly timeoutMs?: number;
}

/** A request that changes something. What is shown of what it changes (`changedWith`) is requested again when it has ended, also when it has failed. */
export function useRpcMutation<Method extends RpcMethod>(
  method: Method,
  { timeoutMs }: RpcMutationOptions = {},
): UseMutationResult<Result<Method>, RpcError, Params<Method>> {
  const { client } = useSession();
  const queries = useQueryClient();
  return useMutation<Result<Method>, RpcError, Params<Method>>({
    mutationFn: (params) => client.request(method, params, { ...(timeoutMs !== undefined && { timeoutMs }) }),
    onSettled: () => {
      const namespaces = changedWith(method);
      return queries.invalidateQueries({ predicate: ({ queryKey: [name] }) => namespaces.has(namespaceOf(String(name))) });
    },
  });
}
