import type { UseQueryResult } from "@tanstack/react-query";
import { t } from "../i18n/t.ts";
import type { RpcError } from "../gateway-client/rpc-error.ts";
import { Button } from "../ui/button.tsx";

interface LoadedProps<Value> {
  readonly query: UseQueryResult<Value, RpcError>;
  readonly children: (value: Value) => React.ReactNode;
}

/** A result once there is one. Until then that it is loading, or why it cannot be shown, with a button to ask again. An older result stays while it is. */
export function Loaded<Value>({ query, children }: LoadedProps<Value>): React.ReactNode {
  if (query.data !== undefined) return children(query.data);
  if (query.error === null) return <p className="chat-note">{t("Loading…")}</p>;
  return (
    <div className="chat-note" role="alert">
      <p>{t("This could not be shown: {reason}", { reason: query.error.message })}</p>
      <Button onClick={() => void query.refetch()}>{t("Try again")}</Button>
    </div>
  );
}
