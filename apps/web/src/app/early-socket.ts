let early: WebSocket | undefined;

/** Starts the handshake of a connection that `takeSocket` will return. */
export function openEarlySocket(base: string): void {
  early = openSocket(base);
}

/** A socket to the gateway that served the page at `base`: the early one the first time, if it is still usable. */
export function takeSocket(base: string): WebSocket {
  const socket = early;
  early = undefined;
  return socket !== undefined && socket.readyState <= WebSocket.OPEN ? socket : openSocket(base);
}

function openSocket(base: string): WebSocket {
  const address = new URL("ws", base);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  return new WebSocket(address);
}
