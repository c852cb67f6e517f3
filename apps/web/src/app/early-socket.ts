import { type ClientName, connectFrame } from "../gateway-client/connect-frame.ts";
import type { GatewaySocket } from "../gateway-client/connection.ts";

/** What the page says about itself to the gateway. */
export const PAGE_CLIENT: ClientName = { name: "control-ui", version: "1" };

interface EarlySocket {
  readonly socket: WebSocket;
  readonly token: string;
  /** Frames that arrived after the page named itself; `undefined` before. */
  received: unknown[] | undefined;
  readonly listening: AbortController;
}

let early: EarlySocket | undefined;

/** Starts the connection that `takeSocket` will return for this token: a phone loads the rest of the program while both ends greet each other. */
export function openEarlySocket(base: string, token: string): void {
  const opened: EarlySocket = { socket: openSocket(base), token, received: undefined, listening: new AbortController() };
  const { socket, listening } = opened;
  const { signal } = listening;
  socket.addEventListener(
    "open",
    () => {
      opened.received = [];
      socket.send(connectFrame(token, PAGE_CLIENT));
    },
    { signal },
  );
  socket.addEventListener("message", ({ data }) => opened.received?.push(data), { signal });
  early = opened;
}

/** A socket to the gateway that served the page at `base`: the early one the first time, if it is for this token and still usable. */
export function takeSocket(base: string, token: string): GatewaySocket {
  const taken = early;
  early = undefined;
  if (taken === undefined) return { socket: openSocket(base) };
  taken.listening.abort();
  const { socket, received } = taken;
  if (taken.token === token && socket.readyState <= WebSocket.OPEN) return { socket, ...(received !== undefined && { received }) };
  socket.close();
  return { socket: openSocket(base) };
}

function openSocket(base: string): WebSocket {
  const address = new URL("ws", base);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  return new WebSocket(address);
}
