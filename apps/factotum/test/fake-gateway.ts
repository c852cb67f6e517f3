import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { CLOSE_CODES, ClientFrameSchema, PROTOCOL_VERSION, type ServerFrame } from "@factotum/protocol";
import { WebSocketServer, type WebSocket } from "ws";

/** Sends an event to the client that has made the request. */
type Emit = (event: string, payload: unknown) => void;

/** The answers of a fake gateway. */
export interface FakeAnswers {
  /** Whether a client with this token is admitted. */
  readonly connect: (token: string | undefined) => Promise<boolean>;
  /** The result of a request; `undefined` ends the connection, as a changed token does. */
  readonly request: (method: string, token: string | undefined, params: unknown, emit: Emit) => Promise<unknown>;
}

/** Speaks the protocol on loopback as the gateway of a state directory, with scripted answers. */
export class FakeGateway implements AsyncDisposable {
  /** The tokens of all connections, in order. */
  readonly tokens: (string | undefined)[] = [];
  readonly #server: WebSocketServer;
  readonly #answers: FakeAnswers;

  private constructor(server: WebSocketServer, answers: FakeAnswers) {
    this.#server = server;
    this.#answers = answers;
    server.on("connection", (socket) => this.#serve(socket));
  }

  /** Starts it, and writes the runtime file of the state directory. */
  static async start(home: string, answers: FakeAnswers): Promise<FakeGateway> {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0, path: "/ws" });
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const facts = { pid: process.pid, port, url: `http://127.0.0.1:${port}`, startedAtMs: 0, version: "0.0.0-test" };
    await mkdir(join(home, "state"), { recursive: true });
    await writeFile(join(home, "state/gateway.json"), JSON.stringify(facts));
    return new FakeGateway(server, answers);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#server.clients) client.terminate();
    this.#server.close();
    await once(this.#server, "close");
  }

  #serve(socket: WebSocket): void {
    let token: string | undefined;
    const send = (frame: ServerFrame): void => socket.send(JSON.stringify(frame));
    socket.on("message", (data: Buffer) => void answer(data.toString()));
    let seq = 0;
    const emit: Emit = (event, payload) => {
      seq += 1;
      send({ type: "event", event, seq, payload });
    };
    const answer = async (text: string): Promise<void> => {
      const frame = ClientFrameSchema.parse(JSON.parse(text));
      if (frame.type === "connect") {
        token = frame.auth?.token;
        this.tokens.push(token);
        if (await this.#answers.connect(token))
          send({ type: "hello", protocol: PROTOCOL_VERSION, server: { version: "0.0.0-test" }, connectionId: "1" });
        else {
          send({ type: "refused", error: { code: "unauthorized", message: "The token is wrong." } });
          socket.close(CLOSE_CODES.unauthorized);
        }
        return;
      }
      const result = await this.#answers.request(frame.method, token, frame.params, emit);
      if (result === undefined) socket.close(CLOSE_CODES.unauthorized);
      else send({ type: "res", id: frame.id, ok: true, result });
    };
  }
}
