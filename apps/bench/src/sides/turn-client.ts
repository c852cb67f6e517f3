import { Agent, request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { ANSWER } from "./wire.ts";
import type { Side } from "./side.ts";

/** The peer answers two turns a second: the last of 256 concurrent ones waits for minutes. */
const TURN_LIMIT_MS = 5 * 60_000;

/** Runs turns of one side over kept-alive connections, as cheaply as Node can: the driver's time counts as the side's. */
export class TurnClient implements Disposable {
  readonly #side: Side;
  readonly #agent: Agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

  constructor(side: Side) {
    this.#side = side;
  }

  /** One complete turn; resolves with its wall time in milliseconds. Rejects if the answer is not the provider's: it would not be a valid time. */
  async turn(session: string, message: string): Promise<number> {
    const body = JSON.stringify({ model: this.#side.model, messages: [{ role: "user", content: message }] });
    const startedAt = performance.now();
    const answer = await this.#post(session, body);
    const tookMs = performance.now() - startedAt;
    if (!answer.includes(ANSWER)) throw new Error(`${this.#side.name} answered a turn with: ${answer.slice(0, 500)}`);
    return tookMs;
  }

  async #post(session: string, body: string): Promise<string> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = request(`${this.#side.url}/v1/chat/completions`, {
        method: "POST",
        agent: this.#agent,
        signal: AbortSignal.timeout(TURN_LIMIT_MS),
        headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body), ...this.#side.headers(session) },
      });
      outgoing.once("response", resolve).once("error", reject).end(body);
    });
    const answer = await text(response);
    if (response.statusCode !== 200)
      throw new Error(`${this.#side.name} answered a turn with ${response.statusCode}: ${answer.slice(0, 500)}`);
    return answer;
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
