import { Readable, Writable } from "node:stream";
import { agent, MessageTooLargeError, methods, ndJsonStream, RequestError } from "@agentclientprotocol/sdk";
import type { AgentApp, Stream } from "@agentclientprotocol/sdk";
import { AcpServer, type AcpServerOptions } from "./acp-server.ts";
import { listSessions } from "./sessions/list-sessions.ts";
import { configOptionsOf, parseMode, parseOption } from "./sessions/session-options.ts";
import { toRequestError } from "./to-request-error.ts";

/** Largest message of a client: a prompt with embedded files and images. */
const MAX_MESSAGE_BYTES: number = 32 * 1024 * 1024;

/** Serves one client on two streams until it closes its end or `signal` fires. Nothing else may write to `output`. */
export async function serveAcp(
  options: AcpServerOptions,
  { input, output, signal }: { readonly input: Readable; readonly output: Writable; readonly signal: AbortSignal },
): Promise<void> {
  const stream = ndJsonStream(Writable.toWeb(output), Readable.toWeb(input) as ReadableStream<Uint8Array>, {
    maxMessageBytes: MAX_MESSAGE_BYTES,
  });
  await serveStream(options, stream, signal);
}

/** Serves one client on a stream of messages until it or `signal` ends. Rejects if the stream fails. */
async function serveStream(options: AcpServerOptions, stream: Stream, signal: AbortSignal): Promise<void> {
  const served = Promise.withResolvers<AcpServer>();
  const app = createApp(async () => served.promise);
  const connection = app.connect(stream);
  const onFlood = (): void => {
    options.onError(new Error("The editor does not read what it is sent: its connection is closed."));
    connection.close();
  };
  using server = new AcpServer(options, { client: connection.client, onFlood });
  served.resolve(server);
  const onAbort = (): void => connection.close();
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    await connection.closed;
    if (connection.signal.reason instanceof MessageTooLargeError) options.onError(new Error(TOO_LARGE));
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

const TOO_LARGE = `The editor has sent a message of more than ${MAX_MESSAGE_BYTES / 1024 ** 2} MiB: its connection is closed. Link large files instead of embedding them.`;

type Served = () => Promise<AcpServer>;

/** The methods of the protocol. Every failure is a `RequestError`. */
function createApp(served: Served): AgentApp {
  const { session } = methods.agent;
  const guarded = async <Result>(run: (server: AcpServer) => Promise<Result> | Result): Promise<Result> => {
    try {
      return await run(await served());
    } catch (error) {
      throw toRequestError(error);
    }
  };
  return agent({ name: "factotum" })
    .onRequest(methods.agent.initialize, async ({ params }) => guarded((server) => server.initialize(params)))
    .onRequest(methods.agent.authenticate, ({ params }) => {
      const advice = "This agent needs no login: it runs with the rights of the person who starts it.";
      throw RequestError.invalidParams({ reason: "invalid-request", methodId: params.methodId }, advice);
    })
    .onRequest(session.new, async ({ params }) => guarded(async (server) => server.create(params)))
    .onRequest(session.load, async ({ params }) => guarded(async (server) => server.open(params, "load")))
    .onRequest(session.resume, async ({ params }) => guarded(async (server) => server.open(params, "resume")))
    .onRequest(session.list, async ({ params }) => guarded(async (server) => listSessions(params, await server.agentId(), server.link)))
    .onRequest(session.close, async ({ params }) => guarded(async (server) => server.close(params.sessionId)))
    .onRequest(session.delete, async ({ params }) => guarded(async (server) => server.delete(params.sessionId)))
    .onRequest(session.setMode, async ({ params }) =>
      guarded(async (server) => {
        const open = server.session(params.sessionId);
        await open.choose(parseMode(params.modeId, await open.settings()));
        return {};
      }),
    )
    .onRequest(session.setConfigOption, async ({ params }) =>
      guarded(async (server) => {
        const open = server.session(params.sessionId);
        const choice = parseOption({ id: params.configId, value: params.value }, await open.settings());
        return { configOptions: configOptionsOf(await open.choose(choice)) };
      }),
    )
    .onRequest(session.prompt, async ({ params, signal }) => guarded(async (server) => server.prompt(params, signal)))
    .onNotification(session.cancel, async ({ params }) => {
      const server = await served();
      // A session that was closed meanwhile has nothing to cancel.
      await server.find(params.sessionId)?.cancel();
    });
}
