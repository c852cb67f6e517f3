import { EventEmitter } from "node:events";
import { connect as connectPlain, isIP } from "node:net";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Logger } from "@factotum/channel-contract";
import { reasonOf } from "@factotum/channel-kit";
import type { IrcConfig } from "../config.ts";
import { IrcFailure } from "../errors.ts";
import { isOneLine } from "../network/irc-line.ts";

/** Longest line that is read: 8,191 bytes of tags and 512 of the message, with some room. A server that sends more speaks another protocol, or attacks. */
const MAX_LINE_BYTES = 16_384;

const LINE_FEED = 0x0a;

/** Dependencies of a socket. */
export interface TransportParts {
  readonly config: Pick<IrcConfig, "host" | "port" | "tls">;
  readonly logger: Logger;
}

/**
 * The socket under the library, in place of its own, which knows no authority of certificates and writes what it is given. Nothing with a line break is written,
 * a line that is too long ends the connection with an `IrcFailure`, and an exception while a line is handled ends with that line.
 */
export function createTransportClass(parts: TransportParts): new () => EventEmitter {
  return class extends SocketTransport {
    constructor() {
      super(parts);
    }
  };
}

/** The port of an account. */
function portOf({ port, tls }: Pick<IrcConfig, "port" | "tls">): number {
  return port ?? (tls === false ? 6667 : 6697);
}

/** The interface that the library expects of a transport, which emits `open`, `line` and `close`. */
class SocketTransport extends EventEmitter {
  readonly #parts: TransportParts;
  #socket: Socket | undefined;
  #pending: Buffer = Buffer.alloc(0);
  #failure: Error | undefined;

  constructor(parts: TransportParts) {
    super();
    this.#parts = parts;
  }

  connect(): void {
    const { host, tls } = this.#parts.config;
    const address = { host, port: portOf(this.#parts.config) };
    const socket =
      tls === false
        ? connectPlain(address)
        : connectTls({
            ...address,
            ...(isIP(host) === 0 && { servername: host }),
            ...(tls !== true && tls.ca !== undefined && { ca: tls.ca }),
            rejectUnauthorized: tls === true || tls.verify,
          });
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.once(tls === false ? "connect" : "secureConnect", () => this.emit("open"));
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
    socket.on("error", (error) => {
      this.#failure = error;
    });
    socket.once("close", () => this.emit("close", this.#failure));
  }

  writeLine(line: string, callback?: () => void): void {
    if (this.#socket?.writable !== true) return;
    if (!isOneLine(line)) {
      this.#parts.logger.error("irc line with a line break not sent");
      return;
    }
    this.#socket.write(`${line}\r\n`, "utf8", callback === undefined ? undefined : () => callback());
  }

  close(isBroken: boolean): void {
    if (isBroken) this.#socket?.destroy();
    else this.#socket?.end();
  }

  disposeSocket(): void {
    this.#socket?.destroy();
  }

  setEncoding(): boolean {
    return true;
  }

  #read(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
      const line = Buffer.concat([this.#pending, chunk.subarray(from, at)]);
      this.#pending = Buffer.alloc(0);
      if (line.length > MAX_LINE_BYTES) return this.#refuseLine();
      this.#handle(line.toString("utf8").replaceAll("\r", ""));
      from = at + 1;
    }
    this.#pending = Buffer.concat([this.#pending, chunk.subarray(from)]);
    if (this.#pending.length > MAX_LINE_BYTES) this.#refuseLine();
  }

  #refuseLine(): void {
    this.#pending = Buffer.alloc(0);
    this.#failure ??= new IrcFailure(
      { type: "unreachable" },
      `the server sent a line of more than ${MAX_LINE_BYTES} bytes, so the connection was closed`,
    );
    this.#socket?.destroy();
  }

  #handle(line: string): void {
    try {
      this.emit("line", line);
    } catch (error) {
      this.#parts.logger.warn("irc line not understood", { error: reasonOf(error) });
    }
  }
}
