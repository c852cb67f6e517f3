import { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory } from "@a2a-js/sdk/client";
import type { Client } from "@a2a-js/sdk/client";
import { SendMessageRequest } from "@a2a-js/sdk";
import type { Channel } from "@factotum/channel-contract";

/** The library's own client of a peer, which reads the card first. */
export function peerClient(channel: Channel, token: string | undefined): Promise<Client> {
  const fetchImpl: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    if (token !== undefined) request.headers.set("authorization", `Bearer ${token}`);
    return channel.handleWebhook(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(20_000)]) });
  };
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    }),
  );
  return factory.createFromUrl("http://127.0.0.1:18790");
}

/** A request to send one text. */
export function says(
  messageId: string,
  text: string,
  more: { readonly message?: object; readonly configuration?: object } = {},
): SendMessageRequest {
  const message = { messageId, role: "ROLE_USER", parts: [{ text }], ...more.message };
  return SendMessageRequest.fromJSON({ message, ...(more.configuration !== undefined && { configuration: more.configuration }) });
}
