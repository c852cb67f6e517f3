import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { McpServer } from "@modelcontextprotocol/server";

/** Serves one client on two streams until it closes its end or `signal` fires. Nothing else may write to `output`. */
export async function serveOnStdio(
  createServer: () => McpServer,
  options: {
    readonly input: Readable;
    readonly output: Writable;
    readonly signal: AbortSignal;
    readonly onError: (error: Error) => void;
  },
): Promise<void> {
  const { input, output, signal, onError } = options;
  const transport = new StdioServerTransport(input, output);
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  signal.addEventListener("abort", () => resolve(), { once: true });
  for (const event of ["end", "close", "error"]) input.once(event, () => resolve());
  const handle = serveStdio(createServer, { transport, onerror: onError });
  await promise;
  await handle.close();
}
