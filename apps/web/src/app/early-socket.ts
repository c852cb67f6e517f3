import { type ClientName, connectFrame } from "../gateway-client/connect-frame.ts";
import type { GatewaySocket } from "../gateway-client/connection.ts";

/** What the page says about itself to the gateway. */
export const PAGE_CLIENT: ClientName = { name: "control-ui", version: "1" };

/** Close codes from here on are those of an application (RFC 6455): the gateway has refused the connection. */
const APPLICATION_CODES = 4000;

interface EarlySocket {
  readonly socket: WebSocket;
  readonly token: string;
  /** Frames that arrived after the page named itself; `undefined` before. */
  received: unknown[] | undefined;
  /** How the gateway ended it meanwhile. */
  closed: CloseEvent | undefined;
  readonly listening: AbortController;
}

let early: EarlySocket | undefined;

/** Starts the connection that `takeSocket` will return for this token: a phone loads the rest of the program while both ends greet each other. */
export function openEarlySocket(base: string, token: string): void {
  const opened: EarlySocket = { socket: openSocket(base), token, received: undefined, closed: undefined, listening: new AbortController() };
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
  socket.addEventListener("close", (close) => (opened.closed = close), { signal });
  early = opened;
}

/** A socket to the gateway that served the page at `base`: the early one the first time, if it is for this token and still usable. */
export function takeSocket(base: string, token: string): GatewaySocket {
  const taken = early;
  early = undefined;
  if (taken === undefined) return { socket: openSocket(base) };
  taken.listening.abort();
  const { socket, received, closed } = taken;
  if (taken.token === token) {
    if (socket.readyState <= WebSocket.OPEN) return { socket, ...(received !== undefined && { received }) };
    // A token that was refused would be refused again, and count as another try.
    if (received !== undefined && closed !== undefined && closed.code >= APPLICATION_CODES) return { socket, received, closed };
  }
  socket.close();
  return { socket: openSocket(base) };
}

/** Ends the early socket: there is no token to use it with. */
export function dropEarlySocket(): void {
  early?.listening.abort();
  early?.socket.close();
  early = undefined;
}

function openSocket(base: string): WebSocket {
  const address = new URL("ws", base);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  return new WebSocket(address);
}
