import { ModelError } from "@factotum/agent-contract";
import type { ExternalConversation, JsonObject, ToolResultMessage, UserMessage } from "@factotum/agent-contract";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { agentError } from "./agent-error.ts";
import type { AgentSettings, AgentState } from "./agent-settings.ts";
import { openAgent, type OpenAgentOptions, type RunningAgent } from "./open-agent.ts";
import { givenServers } from "./mcp-servers.ts";
import { OwnCalls } from "./own-calls.ts";
import { objectOf, type SessionUpdate } from "./parse-update.ts";
import { PromptQueue, type PromptItem } from "./prompt-queue.ts";

/** Characters of text that may wait to be read. */
const MAX_WAITING_CHARS = 4_000_000;
/** Characters of text in one prompt. */
const MAX_TEXT_CHARS = 8_000_000;
/** Requests of the agent that wait at the same time. */
const MAX_CALLS = 64;

type ConversationOptions = Omit<OpenAgentOptions, "signal">;

type Waiting = PromiseWithResolvers<ToolResultMessage>;

/** How a conversation began in this process: as a new one of the agent, or with what the agent had kept. */
export type Beginning = "new" | "loaded";

/** One running agent with its one conversation: prompts, what comes of them, and the calls that it waits for. */
export class AgentConversation {
  readonly id: string;
  readonly settings: AgentSettings;
  readonly place: Pick<ExternalConversation["run"], "sessionKey" | "sessionId">;
  readonly #options: ConversationOptions;
  readonly #queue = new PromptQueue();
  readonly #calls = new Map<string, Waiting>();
  readonly #ownCalls: OwnCalls;
  #agent: RunningAgent | undefined;
  #sessionId: string | undefined;
  #beginning: Beginning = "new";
  #leftServers: readonly string[] = [];
  #isReplaying = false;
  /** Settles when the running prompt has ended, cancelled or not. */
  #prompt: Promise<void> | undefined;
  #isCancelled = false;
  #textChars = 0;
  #callCount = 0;
  #costUsd: number | undefined;
  #chargedUsd = 0;
  #isUnused = true;
  #isUnread = false;
  #hasSpoken = false;
  readonly #waiting: ContentBlock[] = [];
  #given: ReadonlySet<string> = new Set();
  #hasEnded = false;
  readonly #closing = new AbortController();

  constructor(id: string, settings: AgentSettings, run: ExternalConversation["run"], options: ConversationOptions) {
    this.id = id;
    this.settings = settings;
    this.place = { sessionKey: run.sessionKey, sessionId: run.sessionId };
    this.#options = options;
    const { hideSecrets } = options;
    this.#ownCalls = new OwnCalls({ agent: id, nextId: () => this.#nextCallId(), hideSecrets });
  }

  get state(): AgentState {
    return this.#agent === undefined ? "starting" : this.#prompt === undefined ? "idle" : "working";
  }

  get canLoad(): boolean {
    return this.#agent?.canLoad ?? false;
  }

  get takesImages(): boolean {
    return this.#agent?.takesImages ?? false;
  }

  /** Its process has ended, or is being ended. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Tool servers that the agent could not take. */
  get leftServers(): readonly string[] {
    return this.#leftServers;
  }

  get beginning(): Beginning {
    return this.#beginning;
  }

  /** A prompt runs, or has ended and that was not read yet. */
  get hasPrompt(): boolean {
    return this.#isUnread;
  }

  /** The agent has said something to people since it was prompted. */
  get hasSpoken(): boolean {
    return this.#hasSpoken;
  }

  /** It was not prompted in this process yet. */
  get isUnused(): boolean {
    return this.#isUnused;
  }

  /** What the agent has cost since this was asked before, in US dollars; `undefined` if it does not tell. */
  takeCost(): number | undefined {
    if (this.#costUsd === undefined) return undefined;
    const added = Math.max(0, this.#costUsd - this.#chargedUsd);
    this.#chargedUsd = this.#costUsd;
    return added;
  }

  /**
   * Of the messages since the last answer those that the agent was not given, which it is given now: a prompt that ended without a word, because it was stopped,
   * has no answer after it.
   */
  takeNew(said: readonly UserMessage[]): readonly UserMessage[] {
    // The text for models can be rendered again, and differs then.
    const keyOf = ({ timestamp, content, parts }: UserMessage): string => JSON.stringify([timestamp, parts?.source?.eventId ?? content]);
    const given = this.#given;
    this.#given = new Set(said.map(keyOf));
    return said.filter((message) => !given.has(keyOf(message)));
  }

  /** Keeps what is said during a prompt, for the next one. */
  addWaiting(blocks: readonly ContentBlock[]): void {
    this.#waiting.push(...blocks);
  }

  /** What was said during the prompt. */
  takeWaiting(): readonly ContentBlock[] {
    return this.#waiting.splice(0);
  }

  /** Starts the agent, and opens its session. Rejects with an error for the owner; then nothing of it runs. `onEnd` is called when it has ended. */
  async open({ run, known, isResumed, remember }: ExternalConversation, onEnd: () => void): Promise<void> {
    const host = {
      agent: this.id,
      sessionId: () => this.#sessionId,
      callTool: async (name: string, args: JsonObject) => this.#callTool(name, args),
      onUpdate: (update: SessionUpdate) => this.#take(update),
    };
    const { signal } = this.#closing;
    const agent = await openAgent({ id: this.id, settings: this.settings, run }, host, { ...this.#options, signal });
    this.#agent = agent;
    void agent.pipe.ended.then(() => {
      this.#hasEnded = true;
      this.#refuseCalls();
      onEnd();
    });
    try {
      await this.#openSession(agent, { cwd: this.settings.cwd ?? run.workspace, known, isResumed });
      if (this.#sessionId !== known) await remember(this.#sessionId ?? "");
    } catch (error) {
      await agent.pipe.close();
      throw error;
    }
  }

  async #openSession(
    agent: RunningAgent,
    { cwd, known, isResumed }: { readonly cwd: string; readonly known: string | undefined; readonly isResumed: boolean },
  ): Promise<void> {
    const { openMs } = this.#options.limits;
    const { servers: mcpServers, left } = await givenServers(this.id, this.settings, agent.takesServers, this.#options);
    this.#leftServers = left;
    if (known !== undefined && agent.canLoad) {
      this.#isReplaying = true;
      this.#sessionId = known;
      await agent.request("session/load", async (to) => to.request("session/load", { sessionId: known, cwd, mcpServers }), openMs);
      this.#isReplaying = false;
      this.#chargedUsd = this.#costUsd ?? 0;
      this.#beginning = "loaded";
      return;
    }
    if (known !== undefined && isResumed) {
      const next = "The next message begins a new one.";
      throw agentError("truncated", `The external agent ${this.id} was interrupted, and cannot continue its conversation. ${next}`);
    }
    const { sessionId } = await agent.request("session/new", async (to) => to.request("session/new", { cwd, mcpServers }), openMs);
    this.#sessionId = sessionId;
  }

  /** Sends a prompt. Call it when none runs. */
  prompt(blocks: readonly ContentBlock[], signal: AbortSignal): void {
    const [agent, sessionId] = [this.#agent, this.#sessionId];
    if (agent === undefined || sessionId === undefined || this.#hasEnded) throw new Error("the agent does not run");
    this.#queue.clear();
    this.#ownCalls.clear();
    this.#waiting.length = 0;
    this.#hasSpoken = false;
    this.#isUnused = false;
    this.#isUnread = true;
    this.#isCancelled = false;
    this.#textChars = 0;
    agent.pipe.allowMore();
    const onAbort = (): void => this.cancel();
    signal.addEventListener("abort", onAbort, { once: true });
    const asked = agent.request("session/prompt", async (to) => to.request("session/prompt", { sessionId, prompt: [...blocks] }));
    this.#prompt = asked
      .then(
        (answer): PromptItem => ({ type: "ended", end: { stopReason: answer.stopReason, usage: objectOf(objectOf(answer)["usage"]) } }),
        (error: unknown): PromptItem => ({ type: "failed", error: toFailure(error) }),
      )
      .then((item) => {
        signal.removeEventListener("abort", onAbort);
        this.#prompt = undefined;
        this.#refuseCalls();
        if (this.#isCancelled) return;
        for (const ended of item.type === "ended" ? this.#ownCalls.endAll() : []) this.#queue.push(ended);
        this.#queue.push(item);
      });
    if (signal.aborted) onAbort();
  }

  /** What happens next in the prompt. Rejects with the signal's reason once that has fired. */
  async next(signal: AbortSignal): Promise<PromptItem> {
    const item = await this.#queue.next(signal);
    if (item.type === "ended" || item.type === "failed") this.#isUnread = false;
    this.#hasSpoken ||= item.type === "text" && item.text.trim() !== "";
    return item;
  }

  /** The result of a call that the agent waits for; one that nothing waits for is dropped. */
  settle(result: ToolResultMessage): void {
    this.#calls.get(result.toolCallId)?.resolve(result);
    this.#calls.delete(result.toolCallId);
  }

  /** True if the agent waits for the result of this call. */
  awaits(callId: string): boolean {
    return this.#calls.has(callId);
  }

  /** Cancels the running prompt, if any. An agent that does not end it in time is ended. */
  cancel(): void {
    const [agent, sessionId, prompt] = [this.#agent, this.#sessionId, this.#prompt];
    if (prompt === undefined || agent === undefined || sessionId === undefined || this.#isCancelled) return;
    this.#isCancelled = true;
    this.#isUnread = false;
    agent.tell(async (to) => to.notify("session/cancel", { sessionId }));
    // The protocol wants an answer to everything that it still waits for.
    this.#refuseCalls();
    const { clock, limits } = this.#options;
    const timer = clock.schedule(limits.cancelMs, () => agent.pipe.stop("it did not end a prompt that was cancelled"));
    void prompt.finally(() => timer[Symbol.dispose]());
  }

  /** Resolves when no prompt runs. */
  async idle(): Promise<void> {
    await this.#prompt;
  }

  /** Ends the agent. Resolves when nothing of it runs. */
  async close(): Promise<void> {
    this.#hasEnded = true;
    this.#closing.abort();
    await this.#agent?.pipe.close();
  }

  #take({ sessionId, update }: SessionUpdate): void {
    if (update === undefined || sessionId !== this.#sessionId) return;
    if (update.type === "cost") {
      this.#costUsd = update.usd;
      return;
    }
    if (this.#isReplaying || this.#prompt === undefined || this.#isCancelled) return;
    switch (update.type) {
      case "text":
      case "thought":
        this.#textChars += update.text.length;
        this.#queue.push(update);
        break;
      case "own-call":
        for (const item of this.#ownCalls.take(update.said)) this.#queue.push(item);
        break;
      case "plan":
        for (const item of this.#ownCalls.takePlan(update.entries)) this.#queue.push(item);
    }
    const isTooLong = this.#textChars > MAX_TEXT_CHARS;
    if (!isTooLong && this.#queue.chars <= MAX_WAITING_CHARS) return;
    const most = isTooLong ? MAX_TEXT_CHARS : MAX_WAITING_CHARS;
    this.#agent?.pipe.stop(`its answer has more than ${most / 1_000_000} million characters${isTooLong ? "" : " that were not read yet"}`);
  }

  async #callTool(name: string, args: JsonObject): Promise<ToolResultMessage> {
    if (this.#prompt === undefined || this.#isCancelled) throw new Error("No prompt runs: ask while one does.");
    if (this.#calls.size >= MAX_CALLS) throw new Error(`More than ${MAX_CALLS} requests wait: ask again later.`);
    const id = this.#nextCallId();
    const waiting: Waiting = Promise.withResolvers();
    this.#calls.set(id, waiting);
    this.#queue.push({ type: "call", call: { id, name, arguments: args } });
    return waiting.promise;
  }

  #nextCallId(): string {
    return `acp-${this.place.sessionId.slice(0, 8)}-${(this.#callCount += 1)}-${Math.floor(this.#options.clock.now())}`;
  }

  #refuseCalls(): void {
    const waiting = [...this.#calls.values()];
    this.#calls.clear();
    for (const { reject, promise } of waiting) {
      promise.catch(() => undefined);
      reject(new Error("The prompt has ended."));
    }
  }
}

function toFailure(error: unknown): ModelError {
  if (ModelError.isInstance(error)) return error;
  return agentError("server", error instanceof Error ? error.message : "unknown reason", error);
}
