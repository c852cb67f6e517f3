import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock, ModelApi, ModelClient, ModelEvent, ModelInfo, ModelRequest, Random, ThinkingLevel } from "@factotum/agent-contract";
import { answerLimits, type AnswerLimits } from "./answer-limits.ts";
import { normalizeBaseUrl } from "./base-url.ts";
import type { ErrorContext } from "./errors/create-model-error.ts";
import { toModelError } from "./errors/to-model-error.ts";
import { bindThinking, type BoundPrompt } from "./prompt/bound-thinking.ts";
import { createTextCleaner } from "./prompt/clean-text.ts";
import { estimatePrompt, outputLimit } from "./prompt/output-limit.ts";
import { renderPrompt } from "./prompt/render-prompt.ts";
import { renderTools } from "./prompt/render-tools.ts";
import { RenderedTools } from "./prompt/rendered-tools.ts";
import { PROVIDERS } from "./providers.ts";
import { CallGuard } from "./stream/call-guard.ts";
import { MessageAssembler } from "./stream/message-assembler.ts";
import { type StreamCall, streamMessage } from "./stream/stream-message.ts";
import type { TagChoice } from "./tagged-text/tagged-text-reader.ts";
import { TaggedParts, type TaggedPartsOptions } from "./tagged-text/tagged-parts.ts";
import { clampThinking } from "./thinking/clamp-thinking.ts";
import { levelForThoughts } from "./thinking/shown-thoughts.ts";
import { defaultTimeouts, type ModelTimeouts } from "./timeouts.ts";
import { type ConnectionWatch, ConnectionWatcher } from "./transport/connection-watch.ts";
import type { HttpFetch } from "./transport/http-fetch.ts";
import { createModelFetch, NO_API_KEY } from "./transport/model-fetch.ts";
import type { RenderedRequest, WireFormat, WireFormatModule } from "./wire-format.ts";

/** The options of a client. */
export interface ModelClientOptions {
  /** The model: its provider's id, its own name, its wire format, its limits. */
  readonly info: ModelInfo;
  /** The provider's documented base address, with or without its version. Defaults to the vendor's own. */
  readonly baseUrl?: string;
  /** Omitted for servers that need none: then no credential header is sent. Environment variables are never read. */
  readonly apiKey?: string;
  /** Where the key is configured, for error messages: a setting or an environment variable. */
  readonly keyPlace?: string;
  /** Milliseconds; omitted limits get the default for the address. */
  readonly timeouts?: Partial<ModelTimeouts>;
  /** One that ignores `checkBody`, such as the built-in one, has no limit of an answer's size. */
  readonly fetch: HttpFetch;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * A client for one model. Loads the provider's SDK with the first call. Throws a `TypeError` for an invalid address. A failed call reports its error in its
 * last event; nothing is retried.
 */
export function createModelClient(options: ModelClientOptions): ModelClient {
  const { info } = options;
  const { api } = info;
  if (api === "demo") return createLazyDemoClient(options);
  const baseUrl = findBaseUrl(options);
  const secrets = options.apiKey === undefined ? [] : [options.apiKey];
  const keyPlace = withoutUndefined({ keyPlace: options.keyPlace });
  const errors: ErrorContext = { provider: info.provider, model: info.id, baseUrl, secrets, ...keyPlace };
  const connections = new ConnectionWatcher();
  const generateId = (): string => `call_${Buffer.from(options.random.bytes(12)).toString("hex")}`;
  const limits = answerLimits(info);
  const bound: BoundOptions = { ...options, baseUrl, errors, limits, tools: new RenderedTools(), connections, generateId };
  const modelFetch = createModelFetch({
    fetch: options.fetch,
    hasCredential: options.apiKey !== undefined,
    now: () => options.clock.now(),
    errors,
    limits,
    onAnswer: () => connections.current?.onConnected(),
  });
  const timeouts = { ...defaultTimeouts(baseUrl), ...options.timeouts };
  let spoken: SpokenFormat | undefined;
  const load = async (): Promise<SpokenFormat> => {
    const module = await loadFormat(api);
    return { module, format: module.connect({ info, baseUrl, apiKey: options.apiKey ?? NO_API_KEY, generateId, fetch: modelFetch }) };
  };
  return {
    info,
    async *stream(request, { signal }): AsyncGenerator<ModelEvent, void, undefined> {
      let prepared: PreparedCall;
      try {
        prepared = await prepareCall((spoken ??= await load()), bound, request);
      } catch (failure) {
        yield { type: "message-failed", error: toModelError(failure, errors, { answered: false }) };
        return;
      }
      const guard = new CallGuard({ signal, clock: options.clock, timeouts });
      using watch = connections.watch(() => guard.connected());
      yield* streamMessage(toStreamCall(prepared, bound, { guard, watch }));
    },
  };
}

function findBaseUrl({ info, baseUrl }: ModelClientOptions): string {
  const address = baseUrl ?? PROVIDERS[info.provider]?.baseUrl;
  if (address === undefined)
    throw new TypeError(`The provider "${info.provider}" has no default address. Set models.providers.${info.provider}.baseUrl.`);
  return normalizeBaseUrl(address, info.api);
}

/** Each wire format, and with it its SDK, is loaded on first use. */
async function loadFormat(api: Exclude<ModelApi, "demo">): Promise<WireFormatModule> {
  switch (api) {
    case "anthropic-messages":
      return (await import("./anthropic-messages/anthropic-format.ts")).anthropicMessages;
    case "openai-responses":
      return (await import("./openai-responses/openai-responses-format.ts")).openaiResponses;
    case "openai-chat":
      return (await import("./openai-chat/openai-chat-format.ts")).openaiChat;
    case "google-generative-ai":
      return (await import("./google-generative-ai/google-format.ts")).googleGenerativeAi;
    case "mistral":
      return (await import("./mistral/mistral-format.ts")).mistral;
  }
}

function createLazyDemoClient(options: ModelClientOptions): ModelClient {
  return {
    info: options.info,
    async *stream(request, callOptions): AsyncGenerator<ModelEvent, void, undefined> {
      const { createDemoClient } = await import("./demo/demo-client.ts");
      yield* createDemoClient(options).stream(request, callOptions);
    },
  };
}

interface BoundOptions extends ModelClientOptions {
  readonly baseUrl: string;
  readonly errors: ErrorContext;
  readonly limits: AnswerLimits;
  readonly tools: RenderedTools;
  readonly connections: ConnectionWatcher;
  /** Ids for calls without an id from the provider. */
  readonly generateId: () => string;
}

/** The wire format of a client, loaded by its first call. */
interface SpokenFormat {
  readonly module: WireFormatModule;
  readonly format: WireFormat;
}

/** A rendered request, ready to be sent. */
interface PreparedCall {
  readonly spoken: SpokenFormat;
  readonly request: ModelRequest;
  readonly rendered: RenderedRequest;
  readonly promptTokens: number;
  /** Binds the answer's thoughts to the request, if the vendor requires it. */
  readonly bind: BoundPrompt["bind"] | undefined;
  /** What is parsed from the text of the answer. */
  readonly tags: Pick<TaggedPartsOptions, "tags" | "parseCall"> | undefined;
}

function toStreamCall(
  prepared: PreparedCall,
  { info, clock, errors, limits, generateId }: BoundOptions,
  { guard, watch }: { readonly guard: CallGuard; readonly watch: ConnectionWatch },
): StreamCall {
  const { module, format } = prepared.spoken;
  return {
    info,
    guard,
    clock,
    rules: module.streamRules,
    assembler: new MessageAssembler({ usedIds: collectCallIds(prepared.request), generateId }),
    ...withoutUndefined({ bind: prepared.bind }),
    ...(prepared.tags === undefined ? {} : { tagged: new TaggedParts({ ...prepared.tags, generateId }) }),
    errors,
    promptTokens: prepared.promptTokens,
    retention: prepared.request.cacheRetention ?? "short",
    maxAnswerChars: limits.maxAnswerChars,
    start: () => {
      const callOptions = { ...format.prepare(prepared.request, prepared.rendered), abortSignal: guard.signal };
      guard.startConnecting(() => watch.canSee);
      return watch.run(() => format.model.doStream(callOptions));
    },
  };
}

/** Renders the request. Does no I/O except loading code on first use. */
async function prepareCall(spoken: SpokenFormat, client: BoundOptions, original: ModelRequest): Promise<PreparedCall> {
  const { info, baseUrl } = client;
  const rules = spoken.module.renderRules(info, baseUrl);
  const level = levelOf(original, info);
  const asked: ModelRequest = level === undefined ? original : { ...original, thinking: level };
  const request = info.tools === "prompt" ? (await import("./prompt-tools/to-prompt-tools.ts")).toPromptTools(asked) : asked;
  const whole = renderPrompt(request, info, rules);
  const strict = withoutUndefined({ strict: rules.strictTools });
  const render = (): LanguageModelV4FunctionTool[] =>
    renderTools(request.tools, { api: info.api, clean: createTextCleaner(rules.triggers), ...strict });
  const { tools, tokens } = info.tools === "native" ? client.tools.of(request.tools, render) : { tools: [], tokens: 0 };
  const bound = rules.bindsThinking === true ? bindThinking(whole, tools) : undefined;
  const prompt = bound?.prompt ?? whole;
  const promptTokens = tokens + estimatePrompt(prompt);
  const rendered = { prompt, tools, maxOutputTokens: outputLimit(request, info, promptTokens) };
  const thinking = !info.reasoning || rules.mayThinkInText === true;
  return {
    spoken,
    request: asked,
    rendered,
    promptTokens,
    bind: bound?.bind,
    tags: await chooseTags({ thinking, calls: request !== asked }),
  };
}

/** The level that is requested; if people read the thoughts and no level is set, one that produces thoughts. */
function levelOf({ thinking, showThoughts = false }: ModelRequest, info: ModelInfo): ThinkingLevel | undefined {
  if (thinking !== undefined) return clampThinking(info, thinking).applied;
  return showThoughts ? levelForThoughts(info) : undefined;
}

async function chooseTags(tags: TagChoice): Promise<PreparedCall["tags"]> {
  if (tags.calls) return { tags, parseCall: (await import("./prompt-tools/parse-call.ts")).parseCall };
  return tags.thinking ? { tags, parseCall: () => ({ name: "", argumentsText: "" }) } : undefined;
}

function collectCallIds(request: ModelRequest): ReadonlySet<string> {
  const ids = request.messages.flatMap((message) =>
    message.role === "assistant" ? message.content.flatMap((part) => (part.type === "toolCall" ? [part.id] : [])) : [],
  );
  return new Set(ids);
}
