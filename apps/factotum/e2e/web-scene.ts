import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readFile } from "node:fs/promises";

/** The key that the fake Brave accepts. */
export const BRAVE_KEY = "brave-key-0123456789";

/** A web server on loopback: pages, SearXNG and Brave. */
export interface WebScene extends AsyncDisposable {
  readonly url: string;
  /** Paths of all requests. */
  readonly asked: string[];
  /** Answers requests for a path. */
  serve(path: string, answer: string | ((request: IncomingMessage, response: ServerResponse) => void)): string;
  /** What every query finds. */
  found: readonly { readonly title: string; readonly url: string; readonly text: string }[];
}

/** Starts the server. A text is served as HTML. */
export async function startWebScene(): Promise<WebScene> {
  const answers = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://scene");
    asked.push(request.url ?? "");
    const known = answers.get(pathname);
    if (known !== undefined) known(request, response);
    else if (pathname === "/search")
      json(response, { results: scene.found.map(({ title, url, text }) => ({ title, url, content: text })) });
    else if (pathname === "/res/v1/web/search" && request.headers["x-subscription-token"] === BRAVE_KEY)
      json(response, {
        web: { results: scene.found.map(({ title, url, text }) => ({ title, url, description: text, age: "1 day ago" })) },
      });
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const scene: WebScene = {
    url,
    asked,
    found: [],
    serve: (path, answer) => {
      answers.set(
        path,
        typeof answer === "string"
          ? (_request, response) => void response.writeHead(200, { "content-type": "text/html" }).end(answer)
          : answer,
      );
      return `${url}${path}`;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return scene;
}

function json(response: ServerResponse, body: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Resident memory of a process, in MiB. */
export async function residentMiB(processId: number): Promise<number> {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${processId}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1_024;
}
