import type { AgentToolResult, Clock, JsonObject } from "@factotum/agent-contract";
import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import { isObject } from "./check-schema.ts";
import { ANYTHING, describe, openClient, type OpenClient, type OpenClientOptions, type Verdict } from "./open-client.ts";
import type { ListedTool } from "./parse-tools.ts";
import { elicit } from "./elicit.ts";
import { renderPrompt } from "./render-prompt.ts";
import { renderResult } from "./render-result.ts";
import { RunningCalls, type CallFacts, type RunningCall } from "./running-calls.ts";
import { sample, type SampleOptions } from "./sample.ts";
import { useResources } from "./resource-tools.ts";
import type { ServerSettings } from "./server-settings.ts";

/** What a running server needs. */
export type RunningServerOptions = Omit<OpenClientOptions, "onElicit" | "onSample"> &
  Pick<SampleOptions, "questioner" | "sampler" | "logger">;

/** How a call ended. */
export type CallOutcome =
  | { readonly type: "result"; readonly result: AgentToolResult }
  /** The server refused the call, or did not answer. `message` is for the model. */
  | { readonly type: "failed"; readonly message: string }
  /** The server wants a login of the owner, or refuses what the login allows. */
  | { readonly type: "refused"; readonly error: Error }
  /** The connection can no longer be used. `wasUnknown`: the server has forgotten its session, so that the call did not run. */
  | { readonly type: "lost"; readonly message: string; readonly wasUnknown: boolean };

/** Options of a call. */
export interface AskOptions extends CallFacts {
  readonly onProgress: (text: string) => void;
}

/** Time limits of one page of a list, and of the whole list. */
const PAGE_MS = 30_000;
const LIST_MS = 60_000;
const MAX_PAGES = 100;
const MAX_LIST_CHARS = 12_000_000;
/** UTF-16 units of one progress message. */
const MAX_PROGRESS_CHARS = 1_000;
/** The time of a call is ours: it stands still while a person is asked, which the client's own does not. */
const NO_LIMIT_MS = 2 ** 31 - 1;
/** A server that has not answered a call has this long to say that it lives. */
const PING_MS = 5_000;

/** Answers that are none, over a connection that goes on. */
const BROKEN_ANSWERS: ReadonlySet<string> = new Set([
  "INVALID_RESULT",
  "UNSUPPORTED_RESULT_TYPE",
  "INPUT_REQUIRED_ROUNDS_EXCEEDED",
  "CAPABILITY_NOT_SUPPORTED",
]);

/** A server with which a connection is open. */
export class RunningServer {
  readonly #open: OpenClient;
  readonly #clock: Clock;
  readonly #settings: ServerSettings;
  readonly #calls: RunningCalls;
  #isOver = false;
  #isStopped = false;
  /** Resolves with why the connection has ended. Never rejects. */
  readonly ended: Promise<string>;

  private constructor(
    open: OpenClient,
    settings: ServerSettings,
    { calls, clock }: { readonly calls: RunningCalls; readonly clock: Clock },
  ) {
    this.#open = open;
    this.#clock = clock;
    this.#settings = settings;
    this.#calls = calls;
    this.ended = open.ended.then((why) => {
      this.#isOver = true;
      return why;
    });
  }

  /** Rejects with an error whose message says why the server cannot be used. */
  static async start(settings: ServerSettings, known: Verdict | undefined, options: RunningServerOptions): Promise<RunningServer> {
    const calls = new RunningCalls({ timeoutMs: settings.timeoutMs, clock: options.clock });
    // One after the other: a person reads one question at a time.
    let before: Promise<unknown> = Promise.resolve();
    const next = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
      const answer = before.then(ask);
      before = answer.catch(() => undefined);
      return answer;
    };
    const onElicit: OpenClientOptions["onElicit"] = async (params, asked) => next(async () => elicit(params, asked, { ...options, calls }));
    const onSample: OpenClientOptions["onSample"] = async (params, asked) => next(async () => sample(params, asked, { ...options, calls }));
    return new RunningServer(await openClient(settings, known, { ...options, onElicit, onSample }), settings, {
      calls,
      clock: options.clock,
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** It was ended on purpose. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  get isBusy(): boolean {
    return this.#calls.count > 0;
  }

  get verdict(): Verdict {
    return this.#open.verdict;
  }

  /** Whether it has resources. */
  get hasResources(): boolean {
    return this.#open.client.getServerCapabilities()?.resources !== undefined;
  }

  /** The tools that it lists, unchecked. Rejects if it does not answer. */
  async listTools(): Promise<readonly unknown[]> {
    return this.#open.client.getServerCapabilities()?.tools === undefined ? [] : this.#listAll("tools");
  }

  /** The prompts that it lists, unchecked. Rejects if it does not answer. */
  async listPrompts(): Promise<readonly unknown[]> {
    return this.#open.client.getServerCapabilities()?.prompts === undefined ? [] : this.#listAll("prompts");
  }

  async #listAll(key: "tools" | "prompts"): Promise<readonly unknown[]> {
    try {
      return await this.#pagesOf(key);
    } catch (error) {
      throw (await this.#open.refusalOf(error)) ?? error;
    }
  }

  async #pagesOf(key: "tools" | "prompts"): Promise<readonly unknown[]> {
    const listed: unknown[] = [];
    const untilMs = this.#clock.monotonic() + LIST_MS;
    let chars = 0;
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const params = cursor === undefined ? {} : { params: { cursor } };
      const answer = await this.#open.client.request({ method: `${key}/list`, ...params }, ANYTHING, { timeout: PAGE_MS });
      this.#open.answered();
      if (!isObject(answer) || !Array.isArray(answer[key])) throw new Error(`its list of ${key} is no list`);
      listed.push(...(answer[key] as readonly unknown[]));
      chars += JSON.stringify(answer[key]).length;
      if (chars > MAX_LIST_CHARS) throw new Error(`its list of ${key} has more than ${MAX_LIST_CHARS / 1_000_000} million characters`);
      const next = answer["nextCursor"];
      if (typeof next !== "string" || next === cursor) return listed;
      if (this.#clock.monotonic() > untilMs) throw new Error(`its list of ${key} has not ended after ${LIST_MS / 1_000} s`);
      cursor = next;
    }
    throw new Error(`its list of ${key} has more than ${MAX_PAGES} pages`);
  }

  /** Calls a tool. Never rejects; an abort cancels the call. */
  async call(tool: ListedTool, given: JsonObject, options: AskOptions): Promise<CallOutcome> {
    return this.#ask(options, async (client, request) => {
      const { name, inputSchema, resources } = tool;
      if (resources !== undefined) return useResources(resources, given, { client, options: request });
      // Without its output schema: that is not checked.
      const toolDefinition = { name, inputSchema: { ...inputSchema, type: "object" as const } };
      return renderResult(await client.callTool({ name, arguments: given }, { ...request, toolDefinition }));
    });
  }

  /** Asks for the messages of a prompt. Never rejects. */
  async getPrompt(name: string, given: Readonly<Record<string, string>>, options: AskOptions): Promise<CallOutcome> {
    return this.#ask(options, async (client, request) => renderPrompt(await client.getPrompt({ name, arguments: { ...given } }, request)));
  }

  async #ask(options: AskOptions, work: (client: Client, request: RequestOptions) => Promise<AgentToolResult>): Promise<CallOutcome> {
    using call = this.#calls.begin(options);
    try {
      const result = await work(this.#open.client, requestOptions(call, options));
      this.#open.answered();
      return { type: "result", result };
    } catch (error) {
      // Nothing waits for the answer: no need to ask whether the server still lives.
      if (options.signal.aborted && !this.#isOver) return { type: "failed", message: "The call was stopped." };
      return await this.#failure(error, this.#settings.timeoutMs);
    }
  }

  /** Ends it. Resolves when nothing of it runs. Never rejects. */
  async stop(): Promise<void> {
    this.#isOver = true;
    this.#isStopped = true;
    await this.#open.close();
  }

  async #failure(error: unknown, timeoutMs: number): Promise<CallOutcome> {
    const refusal = await this.#open.refusalOf(error);
    if (refusal !== undefined) return { type: "refused", error: refusal };
    if (this.#isOver) return { type: "lost", message: await this.ended, wasUnknown: false };
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    // The server's own answer.
    if (typeof code === "number") return { type: "failed", message: `The server refused the call: ${describe(error)}` };
    if (code === "REQUEST_TIMEOUT") return this.#silence(timeoutMs);
    if (typeof code === "string" && BROKEN_ANSWERS.has(code))
      return { type: "failed", message: `The server broke the protocol: ${describe(error)}` };
    const status = error instanceof Error && "status" in error ? error.status : undefined;
    return { type: "lost", message: describe(error), wasUnknown: status === 404 };
  }

  /** A server that is merely slow goes on running. */
  async #silence(timeoutMs: number): Promise<CallOutcome> {
    const seconds = Math.round(timeoutMs / 1_000);
    try {
      await this.#open.client.ping({ timeout: PING_MS });
      return { type: "failed", message: `The server did not answer within ${seconds} s, and the call was cancelled.` };
    } catch (error) {
      return { type: "lost", message: `it did not answer within ${seconds} s (${describe(error)})`, wasUnknown: false };
    }
  }
}

function requestOptions(call: RunningCall, { onProgress }: Pick<AskOptions, "onProgress">): RequestOptions {
  return {
    signal: call.signal,
    timeout: NO_LIMIT_MS,
    onprogress: ({ message, progress, total }) => {
      call.progressed();
      const of = total === undefined ? String(progress) : `${progress} of ${total}`;
      onProgress(`${message === undefined ? of : `${of}: ${message.slice(0, MAX_PROGRESS_CHARS).toWellFormed()}`}\n`);
    },
  };
}
