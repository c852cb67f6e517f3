import { PassThrough, Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import type {
  ClientApp,
  ClientCapabilities,
  ClientContext,
  CreateElicitationResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from "@agentclientprotocol/sdk";
import { serveAcp } from "../src/index.ts";
import { FakeGateway } from "./fake-gateway.ts";

/** A client of the SDK and the server, with two streams between them, and the gateway behind the server. */
export interface Scene extends AsyncDisposable {
  readonly agent: ClientContext;
  readonly gateway: FakeGateway;
  /** Each update so far, oldest first. */
  readonly updates: SessionUpdate[];
  /** The requests for decisions that came, and their signals. */
  readonly questions: { readonly request: RequestPermissionRequest; readonly signal: AbortSignal }[];
  readonly errors: string[];
  /** What the client sends, as bytes. */
  readonly input: PassThrough;
  /** What the server sends, as bytes. */
  readonly output: PassThrough;
  readonly served: Promise<void>;
  readonly stop: AbortController;
  /** A new session in `/project`. */
  open(): Promise<string>;
  prompt(sessionId: string, text?: string): Promise<string>;
}

/** How the client of a scene behaves. */
export interface SceneOptions {
  readonly decide?: (
    request: RequestPermissionRequest,
    signal: AbortSignal,
  ) => Promise<RequestPermissionResponse> | RequestPermissionResponse;
  /** False: it does not say hello. */
  readonly initialize?: boolean;
  readonly agentId?: string;
  /** Answers a form; forms are offered if given. */
  readonly fillForm?: (message: string, signal: AbortSignal) => Promise<CreateElicitationResponse> | CreateElicitationResponse;
  /** Reads a file of the editor; it is offered if given. */
  readonly readFile?: (path: string) => Promise<string> | string;
  /** What the client offers in addition, and what answers it. */
  readonly capabilities?: ClientCapabilities;
  readonly serve?: (app: ClientApp) => void;
}

/** Starts a scene. */
export async function connectClient({
  decide,
  initialize = true,
  agentId,
  readFile,
  fillForm,
  capabilities,
  serve,
}: SceneOptions = {}): Promise<Scene> {
  const gateway = new FakeGateway();
  const [input, output] = [new PassThrough(), new PassThrough()];
  const [updates, questions, errors]: [SessionUpdate[], Scene["questions"], string[]] = [[], [], []];
  const stop = new AbortController();
  let ids = 0;
  const random = { bytes: (count: number) => new Uint8Array(count), float: () => 0, uuid: () => `id-${(ids += 1)}` };
  const onError = ({ message }: Error): void => void errors.push(message);
  const options = { connect: gateway.connect, version: "1.2.3", random, onError, agentId };
  const served = serveAcp(options, { input, output, signal: stop.signal });
  const app = client({ name: "test" })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, async ({ params: request, signal }) => {
      questions.push({ request, signal });
      if (decide === undefined) throw new Error("nothing is decided here");
      return decide(request, signal);
    });
  if (readFile !== undefined)
    app.onRequest(methods.client.fs.readTextFile, async ({ params }) => ({ content: await readFile(params.path) }));
  serve?.(app);
  if (fillForm !== undefined)
    app.onRequest(methods.client.elicitation.create, async ({ params, signal }) => fillForm(params.message, signal));
  const { agent } = app.connect(ndJsonStream(Writable.toWeb(input), Readable.toWeb(output) as ReadableStream<Uint8Array>));
  if (initialize)
    await agent.request(methods.agent.initialize, {
      protocolVersion: 1,
      clientCapabilities: {
        ...capabilities,
        ...(readFile === undefined ? {} : { fs: { readTextFile: true } }),
        ...(fillForm === undefined ? {} : { elicitation: { form: {} } }),
      },
    });
  return {
    agent,
    gateway,
    updates,
    questions,
    errors,
    input,
    output,
    served,
    stop,
    open: async () => (await agent.request(methods.agent.session.new, { cwd: "/project", mcpServers: [] })).sessionId,
    prompt: async (sessionId, text = "hello") =>
      (await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] })).stopReason,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await served;
    },
  };
}
