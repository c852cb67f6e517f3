import { type ClientName, connectFrame, type EarlySubscription, requestFrame } from "../gateway-client/connect-frame.ts";
import type { EarlyGatewaySocket } from "../gateway-client/gateway-client.ts";

/** What the page says about itself to the gateway. */
export const PAGE_CLIENT: ClientName = { name: "control-ui", version: "1" };

/** Close codes from here on are those of an application (RFC 6455): the gateway has refused the connection. */
const APPLICATION_CODES = 4000;

interface EarlySocket {
  readonly socket: WebSocket;
  readonly token: string;
  /** Frames that arrived after the page named itself; `undefined` before. */
  received: unknown[] | undefined;
  /** What the page has asked for, once the gateway has accepted it. */
  subscription: EarlySubscription | undefined;
  /** How the gateway ended it meanwhile. */
  closed: CloseEvent | undefined;
  readonly listening: AbortController;
}

let early: EarlySocket | undefined;

/** Starts the connection that `takeSocket` will return for this token: a phone loads the rest of the program while the gateway sends the conversation. */
export function openEarlySocket(
  base: string,
  { token, sessionKey }: { readonly token: string; readonly sessionKey: string | undefined },
): void {
  const opened: EarlySocket = {
    socket: openSocket(base),
    token,
    received: undefined,
    subscription: undefined,
    closed: undefined,
    listening: new AbortController(),
  };
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
  socket.addEventListener(
    "message",
    ({ data }: MessageEvent<unknown>) => {
      opened.received?.push(data);
      if (sessionKey === undefined || opened.subscription !== undefined || !isHello(data)) return;
      opened.subscription = { sessionKey, id: "early" };
      socket.send(requestFrame(opened.subscription.id, "chat.subscribe", { sessionKey }));
    },
    { signal },
  );
  socket.addEventListener("close", (close) => (opened.closed = close), { signal });
  early = opened;
}

/** A socket to the gateway that served the page at `base`: the early one the first time, if it is for this token and still usable. */
export function takeSocket(base: string, token: string): EarlyGatewaySocket {
  const taken = early;
  early = undefined;
  if (taken === undefined) return { socket: openSocket(base) };
  taken.listening.abort();
  const { socket, received, subscription, closed } = taken;
  if (taken.token === token) {
    if (socket.readyState <= WebSocket.OPEN) return { socket, ...(received !== undefined && { received, subscription }) };
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

/** Without zod, which comes with the program. A hello in another form would only be answered later. */
function isHello(data: unknown): boolean {
  return typeof data === "string" && data.startsWith('{"type":"hello"');
}

function openSocket(base: string): WebSocket {
  const address = new URL("ws", base);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  return new WebSocket(address);
}
