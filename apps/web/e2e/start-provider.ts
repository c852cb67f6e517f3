import { checkOfficialRequests, type StrictServer, startOpenAiChatServer } from "@factotum/testing-providers";

/** A provider of models, and the configuration that makes it everybody's. */
export interface TestProvider extends AsyncDisposable {
  readonly server: StrictServer;
  readonly config: {
    readonly agents: { readonly defaults: { readonly model: string } };
    readonly models: { readonly providers: Readonly<Record<string, object>> };
  };
}

/** Starts a provider with scripted answers. Its disposal fails if a request does not fit the official SDK. */
export async function startProvider(): Promise<TestProvider> {
  const server = checkedOfficially(await startOpenAiChatServer({ compatible: true }));
  const local = {
    api: "openai-chat",
    baseUrl: `${server.baseUrl}/v1`,
    models: [{ id: "m", contextWindow: 100_000, maxOutput: 1000 }],
  };
  return {
    server,
    config: { agents: { defaults: { model: "local/m" } }, models: { providers: { local } } },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function checkedOfficially(server: StrictServer): StrictServer {
  const close = server[Symbol.asyncDispose].bind(server);
  const closeAndCheck = async (): Promise<void> => {
    await close();
    const bodies = server.requests.flatMap(({ method, body }) => (method === "POST" && body !== undefined ? [body] : []));
    const complaints = await checkOfficialRequests(bodies.map((body) => ({ format: server.format, body })));
    if (complaints.length > 0) throw new Error(`The official SDK would not send this: ${JSON.stringify(complaints)}`);
  };
  return Object.assign(server, { [Symbol.asyncDispose]: closeAndCheck });
}
