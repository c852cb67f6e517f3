import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";

/** Characters that stand for a token. */
const TOKEN_LENGTH = 4;
const TICK_MS = 5;

/** An answer and its speed. */
export interface PacedAnswer {
  /** Text in the message that requests it. */
  readonly asked: string;
  readonly text: string;
  readonly tokensPerSecond: number;
}

/** A provider that writes at a given rate, token by token, regardless of the reader. */
export interface PacedProvider extends AsyncDisposable {
  readonly baseUrl: string;
}

/** Starts the provider. The newest requested answer is sent; a request for none gets two words. */
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
      // Each token is a delta of its own, like with a real provider.
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
