import type { UseQueryResult } from "@tanstack/react-query";
import { useAppState } from "../app/app-context.ts";
import { t } from "../i18n/t.ts";
import type { RpcError } from "../gateway-client/rpc-error.ts";
import { Button } from "../ui/button.tsx";

interface LoadedProps<Value> {
  readonly query: UseQueryResult<Value, RpcError>;
  readonly children: (value: Value) => React.ReactNode;
}

/**
 * A result once there is one; it stays while it is requested again, and without a connection. Until then that the page waits for the gateway, that the result is
 * loading, or why it cannot be shown, with a button to ask again.
 */
export function Loaded<Value>({ query, children }: LoadedProps<Value>): React.ReactNode {
  const isConnected = useAppState((state) => state.connection.type === "connected");
  if (query.data !== undefined) return children(query.data);
  if (!isConnected) return <p className="chat-note">{t("Waiting for the gateway…")}</p>;
  if (query.error === null) return <p className="chat-note">{t("Loading…")}</p>;
  return (
    <div className="chat-note" role="alert">
      <p>{t("This could not be shown: {reason}", { reason: query.error.message })}</p>
      <Button onClick={() => void query.refetch()}>{t("Try again")}</Button>
    </div>
  );
}
