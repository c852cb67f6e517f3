import { CLOSE_CODES } from "@factotum/protocol";
import type { WebSocket } from "ws";
import type { ClientBacklogs } from "./client-backlogs.ts";

/** Unread bytes of one client at which it is closed; it reconnects and gets a fresh snapshot. */
const MAX_CLIENT_BYTES: number = 8 * 1024 * 1024;
/** Bytes handed to the socket ahead of what the client reads. Later frames wait in the queue, which can be dropped at once. */
const MAX_SOCKET_BYTES: number = 256 * 1024;

/** The part of a socket that frames need. */
export type FrameSocket = Pick<WebSocket, "send" | "close" | "terminate" | "bufferedAmount">;

/** Frames on their way to one client, bounded for this client and for all clients together. Dispose it when the socket has closed. */
export class OutgoingFrames implements Disposable {
  readonly #socket: FrameSocket;
  readonly #backlogs: ClientBacklogs;
  #queue: string[] = [];
  /** Index of the oldest queued frame. */
  #next = 0;
  #queuedBytes = 0;
  #isClosed = false;

  constructor(socket: FrameSocket, backlogs: ClientBacklogs) {
    this.#socket = socket;
    this.#backlogs = backlogs;
    backlogs.add(this);
  }

  /** Bytes that the client has not read, apart from what the operating system buffers. */
  get bytes(): number {
    return this.#queuedBytes + this.#socket.bufferedAmount;
  }

  /** Sends a frame behind the earlier ones; a no-op after a close. */
  send(text: string): void {
    if (this.#isClosed) return;
    if (this.bytes > MAX_CLIENT_BYTES) {
      this.#clear();
      return this.close(CLOSE_CODES.slowConsumer, "reads too slowly; connect again");
    }
    this.#queue.push(text);
    this.#queuedBytes += Buffer.byteLength(text);
    this.#flush();
    if (this.bytes > 0) this.#backlogs.enforce();
  }

  /** Closes the socket behind everything that was sent. */
  close(code: number, reason: string): void {
    this.#isClosed = true;
    while (this.#next < this.#queue.length) this.#write();
    this.#clear();
    this.#socket.close(code, reason);
  }

  /**
   * Frees the memory of a client with too large a backlog: drops the queued frames and closes. Where nothing is queued, the memory is held by one large
   * frame or by a socket that is closing already, and only ending the connection frees it.
   */
  shed(): void {
    if (this.#next < this.#queue.length) {
      this.#clear();
      this.close(CLOSE_CODES.slowConsumer, "slow clients together have too much unread, this one the most; connect again");
    } else {
      this.#isClosed = true;
      this.#backlogs.delete(this);
      this.#socket.terminate();
    }
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#clear();
    this.#backlogs.delete(this);
  }

  #flush(): void {
    while (this.#next < this.#queue.length && this.#socket.bufferedAmount < MAX_SOCKET_BYTES) this.#write();
    if (this.#next === this.#queue.length) this.#clear();
  }

  #write(): void {
    const text = this.#queue[this.#next] ?? "";
    this.#queue[this.#next] = "";
    this.#next += 1;
    this.#queuedBytes -= Buffer.byteLength(text);
    this.#socket.send(text, this.#written);
  }

  /** A failed write needs no handling: the socket closes. */
  readonly #written = (): void => {
    if (!this.#isClosed) this.#flush();
  };

  #clear(): void {
    this.#queue = [];
    this.#next = 0;
    this.#queuedBytes = 0;
  }
}
