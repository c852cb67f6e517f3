import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";
import type { Client, PriorDiscovery, StandardSchemaV1 } from "@modelcontextprotocol/client";
import { createServerRun, type Clock, type JsonValue } from "@factotum/agent-contract";
import { isObject } from "./check-schema.ts";
import type { ElicitAnswer } from "./elicit.ts";
import { createHttpTransport, StreamBudget, type HttpTransports } from "./http-transport.ts";
import type { McpOptions, McpPlace } from "./ports.ts";
import { NeedsLoginError } from "./oauth/login-error.ts";
import type { ServerLogins } from "./oauth/server-logins.ts";
import type { SampleAnswer } from "./sample.ts";
import { isLocal, maySample, type LocalServer, type RemoteServer, type ServerSettings } from "./server-settings.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** How a server was found to speak: the revision of the protocol that it negotiates. */
export type Verdict = PriorDiscovery;

/** An open connection to a server. */
export interface OpenClient {
  readonly client: Client;
  readonly verdict: Verdict;
  /** Resolves with why the connection has ended. Never rejects. */
  readonly ended: Promise<string>;
  /** Call it after each answer: it resets the limit of what the server may stream without answering. */
  readonly answered: () => void;
  /** Why a request failed, if that was about the login at the server. */
  readonly refusalOf: (error: unknown) => Promise<Error | undefined>;
  /** Ends it. Resolves when nothing of the server runs, or its HTTP session is deleted. Never rejects. */
  close(): Promise<void>;
}

/** What a connection needs in addition to its server. */
export interface OpenClientOptions extends Pick<
  McpOptions,
  "runner" | "fetch" | "clock" | "version" | "readSecret" | "hideSecrets" | "makeFolder"
> {
  /** The server's name in the configuration. */
  readonly server: string;
  readonly place: McpPlace;
  readonly serverLogins: ServerLogins;
  readonly onListChanged: () => void;
  /** Called when the server wants something from the user. */
  readonly onElicit: (params: JsonValue, options: { readonly signal: AbortSignal }) => Promise<ElicitAnswer>;
  /** Called when the server wants the model to write for it. */
  readonly onSample: (params: JsonValue, options: { readonly signal: AbortSignal }) => Promise<SampleAnswer>;
  readonly signal: AbortSignal;
}

/** For a start with its handshake; packages that are fetched first take long. */
const CONNECT_MS = 60_000;
/** A local server that does not answer the first question in this time is taken for one of an older revision, which may ignore it. */
const PROBE_MS = 10_000;
const DELETE_MS = 3_000;

/** Takes any value: what servers answer is checked by ours. */
export const ANYTHING: StandardSchemaV1<unknown, unknown> = {
  "~standard": { version: 1, vendor: "factotum", validate: (value) => ({ value }) },
};

/**
 * Starts or reaches a server, and shakes hands. The SDK is loaded with the first one. Without a known verdict the newest revision is asked for in place, and a
 * server that ends over that question is started a second time. Rejects with an error whose message says why it cannot be used; then nothing of it runs.
 */
export async function openClient(settings: ServerSettings, known: Verdict | undefined, options: OpenClientOptions): Promise<OpenClient> {
  const attempt = async (verdict: Verdict | undefined): Promise<OpenClient> => connect(settings, verdict, options);
  try {
    return await attempt(known);
  } catch (error) {
    if (options.signal.aborted || error instanceof NeedsLoginError) throw error;
    // It was changed since, or ends with a question that it does not know.
    if (known !== undefined) return attempt(undefined);
    if (isLocal(settings) && error instanceof EndedError && error.wasProbed) return attempt({ kind: "legacy" });
    throw error;
  }
}

/** The server has ended during the handshake. */
class EndedError extends Error {
  readonly wasProbed: boolean;

  constructor(message: string, { wasProbed, ...options }: ErrorOptions & { readonly wasProbed: boolean }) {
    super(message, options);
    this.name = "EndedError";
    this.wasProbed = wasProbed;
  }
}

async function connect(settings: ServerSettings, known: Verdict | undefined, options: OpenClientOptions): Promise<OpenClient> {
  const sdk = await import("@modelcontextprotocol/client");
  const budget = new StreamBudget();
  const place = isLocal(settings) ? await placeOf(settings, options) : options.place;
  const transport = isLocal(settings)
    ? await localTransport(settings, sdk.deserializeMessage, { ...options, place })
    : await remoteTransport(settings, sdk, { ...options, budget });
  budget.onFlood = () => void transport.close();
  // Servers at an address cannot reach a folder of this machine, and need not learn its name.
  const hasRoots = isLocal(settings) && settings.roots === "workspace";
  const refusalOf = async (error: unknown): Promise<Error | undefined> =>
    isLocal(settings) ? undefined : options.serverLogins.refusalOf(options.server, settings, error);
  const client = new sdk.Client(
    { name: "factotum", version: options.version },
    {
      // Links that servers want users to open are not among it.
      capabilities: { elicitation: { form: {} }, ...(hasRoots ? { roots: {} } : {}), ...(maySample(settings) ? { sampling: {} } : {}) },
      versionNegotiation: { mode: "auto", probe: { timeoutMs: PROBE_MS } },
      // Nothing of a server is compiled: schemas hold patterns, and both are its own words.
      jsonSchemaValidator: { getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }) },
    },
  );
  if (hasRoots)
    client.setRequestHandler("roots/list", () => ({ roots: [{ uri: pathToFileURL(place.workspace).href, name: "workspace" }] }));
  client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) =>
    options.onElicit(params as unknown as JsonValue, { signal: mcpReq.signal }),
  );
  if (maySample(settings)) {
    client.setRequestHandler("sampling/createMessage", async ({ params }, { mcpReq }) => {
      const answer = await options.onSample(params as unknown as JsonValue, { signal: mcpReq.signal });
      if (answer.type === "refused") throw new sdk.ProtocolError(answer.code, answer.message);
      return answer.message;
    });
  }
  const ended = Promise.withResolvers<string>();
  const whyEnded = (): string =>
    options.hideSecrets((transport instanceof StdioTransport ? transport : budget).endedBecause ?? "the connection has ended");
  client.onclose = () => ended.resolve(whyEnded());
  client.setNotificationHandler("notifications/tools/list_changed", options.onListChanged);
  client.setNotificationHandler("notifications/prompts/list_changed", options.onListChanged);
  const close = async (): Promise<void> => {
    if ("terminateSession" in transport) await within(transport.terminateSession(), DELETE_MS, options.clock);
    await client.close().catch(() => undefined);
    // Also if the handshake did not get as far as to the client.
    await transport.close().catch(() => undefined);
    ended.resolve(whyEnded());
  };
  // The question for the revision cannot be stopped otherwise.
  const leave = (): void => void transport.close();
  options.signal.addEventListener("abort", leave, { once: true });
  try {
    await client.connect(transport, { timeout: CONNECT_MS, signal: options.signal, ...(known === undefined ? {} : { prior: known }) });
  } catch (error) {
    const why = transport instanceof StdioTransport ? transport.endedBecause : undefined;
    await close();
    const refusal = await refusalOf(error);
    if (refusal !== undefined) throw refusal;
    if (why === undefined) throw new Error(options.hideSecrets(describe(error)), { cause: error });
    throw new EndedError(options.hideSecrets(why), { cause: error, wasProbed: known === undefined });
  } finally {
    options.signal.removeEventListener("abort", leave);
  }
  void subscribe(client);
  const discover = client.getDiscoverResult();
  return {
    client,
    verdict: discover === undefined ? { kind: "legacy" } : { kind: "modern", discover },
    ended: ended.promise,
    answered: () => budget.answered(),
    refusalOf,
    close,
  };
}

/** Servers of the newest revision send changes of their lists to those who ask for them. */
async function subscribe(client: Client): Promise<void> {
  if (client.getProtocolEra() !== "modern") return;
  const { tools, prompts } = client.getServerCapabilities() ?? {};
  const wanted = {
    ...(tools?.listChanged === true ? { toolsListChanged: true } : {}),
    ...(prompts?.listChanged === true ? { promptsListChanged: true } : {}),
  };
  // Without it the list is read again when the server is started again.
  if (Object.keys(wanted).length > 0) await client.listen(wanted).catch(() => undefined);
}

/** Where a local server works: with a sandbox that lacks the workspace, in a folder of its own. */
async function placeOf(
  { sandbox: { mode, workspace } }: LocalServer,
  { place, server, makeFolder }: Pick<OpenClientOptions, "place" | "server" | "makeFolder">,
): Promise<McpPlace> {
  const isApart = mode === "on" && workspace === "none";
  return isApart ? { ...place, workspace: await makeFolder(folderName(server, place.agentId)) } : place;
}

async function localTransport(
  settings: LocalServer,
  parseMessage: ConstructorParameters<typeof StdioTransport>[1]["parseMessage"],
  { runner, clock, place, readSecret }: OpenClientOptions,
): Promise<StdioTransport> {
  const { command, args, cwd = place.workspace } = settings;
  const env = await readAll(settings.env, readSecret, "env");
  // With a sandbox of its own the owner has chosen its access; one that it inherits lasts longer than the turn that starts it.
  return new StdioTransport(
    { command, args, cwd, env, tainted: settings.sandbox.mode !== "on" },
    { runner, run: createServerRun("mcp", settings.sandbox, place), clock, parseMessage },
  );
}

async function remoteTransport(
  settings: RemoteServer,
  sdk: HttpTransports,
  options: OpenClientOptions & { readonly budget: StreamBudget },
): Promise<ReturnType<typeof createHttpTransport>> {
  const { budget, fetch, server, serverLogins } = options;
  const auth = serverLogins.authOf(server, settings, fetch) ?? { fetch };
  return createHttpTransport(sdk, settings, { ...auth, budget, headers: await headersOf(settings, options) });
}

function folderName(...names: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(names)).digest("hex").slice(0, 16);
}

async function headersOf({ headers, auth }: RemoteServer, { readSecret }: OpenClientOptions): Promise<Readonly<Record<string, string>>> {
  const given = await readAll(headers, readSecret, "headers");
  if (auth === undefined) return given;
  const { token } = await readAll({ token: auth }, readSecret, "auth");
  return { ...given, authorization: `Bearer ${token}` };
}

async function readAll<Names extends string>(
  references: Readonly<Record<Names, Parameters<McpOptions["readSecret"]>[0]>>,
  readSecret: McpOptions["readSecret"],
  key: string,
): Promise<Record<Names, string>> {
  const entries = await Promise.all(
    (Object.entries(references) as [Names, Parameters<McpOptions["readSecret"]>[0]][]).map(async ([name, reference]) => {
      try {
        return [name, await readSecret(reference)] as const;
      } catch (error) {
        throw new Error(`${key}.${name} has no value: ${describe(error)}`, { cause: error });
      }
    }),
  );
  return Object.fromEntries(entries) as Record<Names, string>;
}

const MAX_CAUSES = 5;

/** The words of an error, with what the network says of it. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return "unknown reason";
  // How the SDK goes about it is of no use to the owner.
  const said = error.message.replace(/^(?:Version negotiation probe failed|SSE error(?:: TypeError)?): /, "");
  const text = said.replace(/\s+/g, " ").trim().slice(0, 500) || error.name;
  const code = networkCode(error);
  return code === undefined || text.includes(code) ? text : `${text} (${code})`;
}

/** The code of the system, such as `ECONNREFUSED`, wherever it is among the causes. */
function networkCode(error: Error): string | undefined {
  let cause: unknown = error;
  for (let depth = 0; depth < MAX_CAUSES && typeof cause === "object" && cause !== null; depth += 1) {
    const { code, data, cause: next } = cause as { readonly code?: unknown; readonly data?: unknown; readonly cause?: unknown };
    if (typeof code === "string" && /^E[A-Z]+$/.test(code)) return code;
    cause = next ?? (isObject(data) ? data["cause"] : undefined);
  }
  return undefined;
}

async function within(work: Promise<unknown>, ms: number, clock: Clock): Promise<void> {
  const over = Promise.withResolvers<void>();
  using _timer = clock.schedule(ms, over.resolve);
  await Promise.race([work.catch(() => undefined), over.promise]);
}
