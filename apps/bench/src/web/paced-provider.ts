import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";

/** What stands for a token. */
const TOKEN_LENGTH = 4;
const TICK_MS = 5;

/** An answer and how fast it is written. */
export interface PacedAnswer {
  /** Words of the message that asks for it. */
  readonly asked: string;
  readonly text: string;
  readonly tokensPerSecond: number;
}

/** A provider that writes as fast as it is told, token by token, whatever the reader does. */
export interface PacedProvider extends AsyncDisposable {
  readonly baseUrl: string;
}

/** Starts the provider. The newest of its answers that a request asks for is given; a request that asks for none gets two words. */
export async function startPacedProvider(answers: readonly PacedAnswer[]): Promise<PacedProvider> {
  const server = createServer((request, response) => {
    void readText(request).then(async (body) => {
      const [answer] = answers.toSorted((one, other) => body.lastIndexOf(other.asked) - body.lastIndexOf(one.asked));
      const isAsked = answer !== undefined && body.includes(answer.asked);
      response.writeHead(200, { "content-type": "text/event-stream" });
      await writePaced(response, isAsked ? answer : { asked: "", text: "All right.", tokensPerSecond: 1000 });
      response.end(`${frame({}, "stop")}data: [DONE]\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function writePaced(response: ServerResponse, { text, tokensPerSecond }: PacedAnswer): Promise<void> {
  const tokens = text.match(new RegExp(`[^]{1,${TOKEN_LENGTH}}`, "g")) ?? [];
  const startedAt = performance.now();
  let written = 0;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(tokens.length, Math.floor(((performance.now() - startedAt) / 1000) * tokensPerSecond));
      // Each token is a delta of its own, as it is with a real provider.
      response.write(
        tokens
          .slice(written, due)
          .map((content) => frame({ content }, null))
          .join(""),
      );
      written = due;
      if (written < tokens.length && !response.destroyed) return;
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
}

function frame(delta: object, finishReason: "stop" | null): string {
  const chunk = {
    id: "1",
    object: "chat.completion.chunk",
    created: 1,
    model: "paced",
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
