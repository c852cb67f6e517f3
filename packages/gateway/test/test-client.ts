import { PROTOCOL_VERSION, RPC_EVENTS, RPC_METHODS, ServerFrameSchema } from "@factotum/protocol";
import type { ChatEvent, ReplayDelta, RpcMethod, RpcMethods, ServerFrame } from "@factotum/protocol";
import { WebSocket } from "ws";

/** A client that checks everything it gets against the protocol's schemas. */
export class TestClient implements Disposable {
  readonly frames: ServerFrame[] = [];
  readonly events: ChatEvent[] = [];
  readonly replays: ReplayDelta[] = [];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly #socket: WebSocket;
  readonly #waiting = new Set<() => void>();
  #count = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    const closed = Promise.withResolvers<{ readonly code: number; readonly reason: string }>();
    this.closed = closed.promise;
    socket.on("close", (code, reason) => closed.resolve({ code, reason: reason.toString() }));
    socket.on("message", (data: Buffer) => {
      const frame = ServerFrameSchema.parse(JSON.parse(data.toString()));
      this.frames.push(frame);
      if (frame.type === "event" && frame.event === "chat") this.events.push(RPC_EVENTS.chat.parse(frame.payload).event);
      if (frame.type === "event" && frame.event === "replay") this.replays.push(RPC_EVENTS.replay.parse(frame.payload));
      for (const wake of this.#waiting) wake();
    });
  }

  static async open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<TestClient> {
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws`, { headers });
    const client = new TestClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    return client;
  }

  static async connect(url: string, token: string): Promise<TestClient> {
    const client = await TestClient.open(url);
    client.send({
      type: "connect",
      minProtocol: 1,
      maxProtocol: PROTOCOL_VERSION,
      client: { name: "test", version: "0" },
      auth: { token },
    });
    await client.until(() => client.frames.find((frame) => frame.type === "hello"));
    return client;
  }

  send(frame: unknown): void {
    this.#socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  async until<Found>(find: () => Found | undefined): Promise<Found> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
      });
    }
  }

  async call<Method extends RpcMethod>(method: Method, params: RpcMethods[Method]["params"]): Promise<RpcMethods[Method]["result"]> {
    const answer = await this.callRaw(method, params);
    if (!answer.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`);
    return RPC_METHODS[method].result.parse(answer.result) as RpcMethods[Method]["result"];
  }

  async callRaw(method: string, params: unknown): Promise<Extract<ServerFrame, { type: "res" }>> {
    const id = `r${(this.#count += 1)}`;
    this.send({ type: "req", id, method, params });
    return this.until(() =>
      this.frames.find((frame): frame is Extract<ServerFrame, { type: "res" }> => frame.type === "res" && frame.id === id),
    );
  }

  [Symbol.dispose](): void {
    this.#socket.terminate();
  }
}
