import type { SessionSettings, ThinkingLevelId } from "@factotum/protocol";
import { useEffect, useState } from "react";
import { useAppState, useSession } from "../../app/app-context.ts";
import type { GatewayClient } from "../../gateway-client/gateway-client.ts";
import { RpcError } from "../../gateway-client/rpc-error.ts";

/** What can be chosen for a session, and what is. */
interface ChosenSettings {
  /** Absent until they came, and where they cannot be read. */
  readonly settings: SessionSettings | undefined;
  /** Stores a choice; `null`: as configured. */
  readonly choose: (choice: { readonly model?: string | null; readonly thinking?: ThinkingLevelId | null }) => Promise<void>;
}

/** The settings of a session, read when it is opened, and when sessions or the configuration changed. */
export function useSessionSettings(sessionKey: string | undefined): ChosenSettings {
  const { client, store } = useSession();
  const isConnected = useAppState((state) => state.connection.type === "connected");
  // A command may have chosen another model.
  const chosen = useAppState((state) => state.sessions.find(({ key }) => key === sessionKey)?.model);
  const configChanges = useConfigChanges(client);
  const [known, setKnown] = useState<{ readonly sessionKey: string; readonly settings: SessionSettings }>();
  useEffect(() => {
    if (sessionKey === undefined || !isConnected) return;
    let isCurrent = true;
    client.request("sessions.settings", { key: sessionKey }).then(
      (settings) => isCurrent && setKnown({ sessionKey, settings }),
      (error: unknown) => {
        // The line shows the model without a choice.
        if (!(error instanceof RpcError)) throw error;
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [client, sessionKey, isConnected, chosen, configChanges]);
  const choose: ChosenSettings["choose"] = async (choice) => {
    if (sessionKey === undefined) return;
    try {
      const isNew = !store.get().sessions.some(({ key }) => key === sessionKey);
      if (isNew) await createSession(client, sessionKey);
      setKnown({ sessionKey, settings: await client.request("sessions.choose", { key: sessionKey, ...choice }) });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      store.update({ alert: error.message });
    }
  };
  return { settings: known?.sessionKey === sessionKey ? known?.settings : undefined, choose };
}

/** How often the configuration has changed, which says what can be chosen and what answers without a choice. */
function useConfigChanges(client: Pick<GatewayClient, "onEvent">): number {
  const [count, setCount] = useState(0);
  useEffect(() => client.onEvent(({ type }) => type === "config-change" && setCount((before) => before + 1)), [client]);
  return count;
}

/** A choice begins a conversation in which nothing was said. */
async function createSession(client: Pick<GatewayClient, "request">, key: string): Promise<void> {
  try {
    await client.request("sessions.create", { key });
  } catch (error) {
    // It is not in the list of the page.
    if (!(error instanceof RpcError) || error.code !== "conflict") throw error;
  }
}
