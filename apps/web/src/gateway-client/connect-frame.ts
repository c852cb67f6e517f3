import { type ClientFrame, PROTOCOL_VERSION, type RpcMethod, type RpcMethods } from "@factotum/protocol";

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

/** A session that was asked for before the program was loaded. */
export interface EarlySubscription {
  readonly sessionKey: string;
  /** The id of the request. */
  readonly id: string;
}

/** A request, as text. */
export function requestFrame<Method extends RpcMethod>(id: string, method: Method, params: RpcMethods[Method]["params"]): string {
  const frame: ClientFrame = { type: "req", id, method, params };
  return JSON.stringify(frame);
}
