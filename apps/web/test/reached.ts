import type { ConnectionState, GatewayClient } from "../src/gateway-client/gateway-client.ts";

/** Resolves when the client is in a state. */
export function reached<Type extends ConnectionState["type"]>(
  client: GatewayClient,
  type: Type,
): Promise<Extract<ConnectionState, { type: Type }>> {
  const fits = (state: ConnectionState): state is Extract<ConnectionState, { type: Type }> => state.type === type;
  if (fits(client.state)) return Promise.resolve(client.state);
  return new Promise((resolve) => {
    const end = client.onStateChange((state) => {
      if (!fits(state)) return;
      end();
      resolve(state);
    });
  });
}
