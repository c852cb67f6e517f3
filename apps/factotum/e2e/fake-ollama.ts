import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An Ollama server on loopback with one chat model, `qwen3:8b`, below the path `/ollama`. */
export class FakeOllama implements AsyncDisposable {
  /** Requested paths, in order. */
  readonly asked: string[] = [];
  /** The context with which the model is loaded. */
  contextTokens = 4096;
  /** Survives a stop. */
  port = 0;
  readonly #server = createServer((request, response) => this.#answer(request, response));

  static async start(): Promise<FakeOllama> {
    const ollama = new FakeOllama();
    await ollama.listen(0);
    return ollama;
  }

  /** Its address, in the form of `OLLAMA_HOST`. */
  get host(): string {
    return `http://127.0.0.1:${this.port}/ollama`;
  }

  async listen(port: number): Promise<void> {
    this.#server.listen(port, "127.0.0.1");
    await once(this.#server, "listening");
    this.port = (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.asked.push(request.url ?? "");
    request.resume().once("end", () => {
      switch (request.url) {
        case "/ollama/api/tags":
          return response.end(JSON.stringify({ models: [{ name: "nomic-embed-text:latest" }, { name: "qwen3:8b" }] }));
        case "/ollama/api/ps":
          return response.end(JSON.stringify({ models: [{ name: "qwen3:8b", context_length: this.contextTokens }] }));
        case "/ollama/v1/chat/completions":
          response.writeHead(200, { "content-type": "text/event-stream" });
          for (const choice of [{ delta: { content: "Good day." } }, { delta: {}, finish_reason: "stop" }])
            response.write(`data: ${JSON.stringify({ id: "c", choices: [{ index: 0, ...choice }] })}\n\n`);
          return response.end("data: [DONE]\n\n");
        default:
          return response.writeHead(request.url === "/ollama/v1" ? 200 : 404).end();
      }
    });
  }
}
