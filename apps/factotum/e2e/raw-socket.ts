import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";

/** A connection whose raw bytes the test writes. */
export interface RawSocket extends Disposable {
  readonly socket: Socket;
  /** Resolves with everything received once the other side has ended. */
  readonly closed: Promise<string>;
}

/** Opens a connection to the host of `url`, and writes `text` if there is any. */
export async function openRaw(url: string, text = "", localAddress = "127.0.0.1"): Promise<RawSocket> {
  const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1", localAddress });
  let received = "";
  socket.setEncoding("utf8").on("data", (piece: string) => (received += piece));
  // A connection that is cut off may end with a reset; the answer is what came before.
  socket.on("error", () => undefined);
  const closed = new Promise<string>((resolve) => socket.once("close", () => resolve(received)));
  await once(socket, "connect");
  if (text !== "") socket.write(text);
  return { socket, closed, [Symbol.dispose]: () => void socket.destroy() };
}

/** The head of a request whose body has `length` bytes. */
export function requestHead(path: string, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries({ host: "127.0.0.1", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}
