import { connect } from "node:net";
import type { Socket } from "node:net";

/** A person's client on a real server: writes lines and reads them. */
export class RawIrcClient implements Disposable {
  /** Lines of the server. */
  readonly lines: string[] = [];
  readonly #socket: Socket;
  readonly #watchers = new Set<() => void>();
  #pending = "";
  #pings = 0;

  private constructor(port: number) {
    this.#socket = connect({ port, host: "127.0.0.1" });
    this.#socket.setNoDelay(true);
    this.#socket.on("error", () => this.#socket.destroy());
    this.#socket.on("data", (chunk: Buffer) => this.#read(chunk.toString("utf8")));
  }

  /** Registers under a nickname and joins the channel. */
  static async open(
    port: number,
    options: { readonly nick: string; readonly password: string; readonly channel: string },
  ): Promise<RawIrcClient> {
    const client = new RawIrcClient(port);
    client.write(`PASS ${options.password}`, `NICK ${options.nick}`, "USER someone 0 * :Somebody");
    await client.until((line) => line.includes(" 001 "));
    client.write(`JOIN ${options.channel}`);
    await client.until((line) => line.includes(" 366 "));
    return client;
  }

  write(...lines: readonly string[]): void {
    for (const line of lines) this.#socket.write(`${line}\r\n`);
  }

  /** Resolves once a line of the server, earlier ones included, fulfils the condition. */
  async until(condition: (line: string) => boolean): Promise<void> {
    if (this.lines.some(condition)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = (): void => {
      if (this.lines.some(condition)) resolve();
    };
    this.#watchers.add(check);
    await promise;
    this.#watchers.delete(check);
  }

  /** Resolves once the server has handled everything that was written, and everything that it sent before is in `lines`. */
  async sync(): Promise<void> {
    this.#pings += 1;
    const token = `sync-${this.#pings}`;
    this.write(`PING ${token}`);
    await this.until((line) => line.includes("PONG") && line.endsWith(token));
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  #read(text: string): void {
    const parts = (this.#pending + text).split("\r\n");
    this.#pending = parts.pop() ?? "";
    for (const line of parts) {
      if (line.startsWith("PING")) this.write(line.replace("PING", "PONG"));
      else this.lines.push(line);
    }
    for (const check of this.#watchers) check();
  }
}
