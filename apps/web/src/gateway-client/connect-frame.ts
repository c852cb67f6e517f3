import { type ClientFrame, PROTOCOL_VERSION } from "@factotum/protocol";

/** What a client says about itself. */
export interface ClientName {
  readonly name: string;
  readonly version: string;
}

/** The first frame of a connection, as text. */
export function connectFrame(token: string, client: ClientName): string {
  const frame: ClientFrame = { type: "connect", minProtocol: PROTOCOL_VERSION, maxProtocol: PROTOCOL_VERSION, client, auth: { token } };
  return JSON.stringify(frame);
}
