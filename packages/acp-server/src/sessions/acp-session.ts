import type { AgentContext, ClientCapabilities, McpServer, PromptResponse } from "@agentclientprotocol/sdk";
import { methods, RequestError } from "@agentclientprotocol/sdk";
import type { Random } from "@factotum/agent-contract";
import type { AgentRunResult, ChatEntry, ChatEvent, ChatSnapshot, SessionSettings } from "@factotum/protocol";
import type { GatewayConnection } from "../gateway-connection.ts";
import type { GatewayLink } from "../gateway-link.ts";
import type { Prompt } from "../parse-prompt.ts";
import { UpdateRenderer } from "../render/update-renderer.ts";
import { toRequestError } from "../to-request-error.ts";
import { UpdateQueue } from "../update-queue.ts";
import { EditorServices } from "./editor-services.ts";
import { Permissions } from "./permissions.ts";
import { askInForm, type ShownQuestion } from "./question-form.ts";
import { PromptTurn, type TurnEnd } from "./prompt-turn.ts";
import { commandsUpdate, settingsChanges, type SettingsChoice } from "./session-options.ts";
import { ToldState } from "./told-state.ts";

/** What a session of a client needs. */
export interface AcpSessionOptions {
  /** Its key in the gateway, and its id for the client. */
  readonly key: string;
  /** Its folder, with links resolved. */
  readonly workspace: string;
  readonly link: GatewayLink;
  readonly client: AgentContext;
  readonly random: Random;
  /** The folder as the client names it. */
  readonly cwd: string;
  /** What the client does for its agent. */
  readonly offers: ClientCapabilities;
  readonly servers: readonly McpServer[];
  readonly onError: (error: Error) => void;
  /** The client does not read what it is sent. */
  readonly onFlood: () => void;
}

/** One conversation of the gateway that a client has open: its events go to the client, the client's prompts to the gateway. */
export class AcpSession {
  readonly #options: AcpSessionOptions;
  readonly #updates: UpdateQueue;
  readonly #renderer: UpdateRenderer;
  readonly #permissions: Permissions;
  readonly #services: EditorServices;
  readonly #ownKeys = new Set<string>();
  #settings: SessionSettings | undefined;
  #connection: GatewayConnection | undefined;
  #unfollow: () => void = () => undefined;
  #turn: PromptTurn | undefined;
  #liveRunId: string | undefined;
  /** Remarks before the client knows the session. */
  #remarks: string[] | undefined = [];
  readonly #told = new ToldState();
  /** A run waits for the client's next prompt, which answers its question. */
  #question: { readonly runId: string | undefined } | undefined;
  /** The form that the client shows. */
  #form: AbortController | undefined;

  constructor(options: AcpSessionOptions) {
    this.#options = options;
    const { key, workspace, cwd, link, client, offers, servers, random, onError, onFlood } = options;
    this.#updates = new UpdateQueue({
      send: async (update) => client.notify(methods.client.session.update, { sessionId: key, update }),
      onFlood,
    });
    this.#renderer = new UpdateRenderer({
      workspace,
      random,
      isOwn: (idempotencyKey) => this.#ownKeys.has(idempotencyKey),
      asksForDecisions: () => this.#turn !== undefined,
    });
    this.#permissions = new Permissions({
      sessionKey: key,
      link,
      client,
      onError,
      showCall: async ({ callId, toolName }) => {
        this.#updates.push(this.#renderer.renderWaiting({ id: callId, name: toolName, argumentsText: "{}" }));
        await this.#updates.sent();
      },
      onUndecided: ({ id, toolName }) => this.#updates.push([this.#renderer.renderNote(undecided(toolName, id))]),
    });
    this.#services = new EditorServices({
      sessionId: key,
      client,
      offers,
      servers,
      cwd,
      workspace,
      onError,
      onTerminal: (terminalId) => this.#updates.push(this.#renderer.renderTerminal(terminalId)),
      onNote: (text) => this.#remark(text),
    });
  }

  /** A prompt of it is being answered. */
  get isBusy(): boolean {
    return this.#turn !== undefined;
  }

  get workspace(): string {
    return this.#options.workspace;
  }

  /** The settings when they were last read. */
  async settings(): Promise<SessionSettings> {
    this.#settings = await this.#options.link.request("sessions.settings", { key: this.#options.key });
    return this.#settings;
  }

  /** Stores a choice of the client; resolves with the settings as they are then. */
  async choose(choice: SettingsChoice): Promise<SessionSettings> {
    this.#settings = await this.#options.link.request("sessions.choose", { key: this.#options.key, ...choice });
    return this.#settings;
  }

  /** Sends the client the commands, and remarks so far. Call it when the client knows the session. */
  announce(): void {
    if (this.#settings !== undefined) this.#updates.push([commandsUpdate(this.#settings)]);
    this.#updates.push((this.#remarks ?? []).map((text) => this.#renderer.renderNote(text)));
    this.#remarks = undefined;
  }

  /** Sends the client the title and what the conversation has used, and what was changed since the settings were last read. Never rejects. */
  async tellState(): Promise<void> {
    const { key, link, onError } = this.#options;
    try {
      const before = this.#settings;
      const [now, { session }] = await Promise.all([this.settings(), link.request("sessions.resolve", { key })]);
      this.#updates.push(before === undefined ? [] : settingsChanges(before, now));
      this.#updates.push(this.#told.changes(session, now));
    } catch (error) {
      onError(toRequestError(error));
    }
  }

  /** Follows the session's events from here on. */
  async follow(): Promise<void> {
    (await this.#subscribe(1)).release();
  }

  /** Follows the session, and shows what the active run has written so far. */
  async resume(): Promise<void> {
    const { snapshot, release } = await this.#subscribe(1);
    this.#showLive(snapshot);
    release();
  }

  /** Shows the whole conversation again, oldest entry first, and follows it. */
  async replay(): Promise<void> {
    const { key, link } = this.#options;
    const { snapshot, release } = await this.#subscribe(PAGE);
    const pages = [snapshot.entries];
    let { before } = snapshot;
    while (before !== undefined && pages.length < MAX_PAGES) {
      const page: { readonly entries: typeof snapshot.entries; readonly before?: string } = await link.request("chat.history", {
        sessionKey: key,
        before,
        limit: PAGE,
      });
      pages.unshift(page.entries);
      ({ before } = page);
    }
    if (before !== undefined) this.#updates.push([this.#renderer.renderNote(EARLIER)]);
    for (const entries of pages) this.#updates.push(entries.flatMap((entry) => this.#renderer.renderEntry(entry)));
    this.#showLive(snapshot);
    release();
    await this.#updates.sent();
  }

  /** Sends a message to the assistant and waits for the end of its run. Rejects with a `RequestError`. */
  async prompt(prompt: Prompt, signal: AbortSignal): Promise<PromptResponse> {
    if (this.isBusy) throw busy();
    const { random } = this.#options;
    const question = this.#question;
    this.#question = undefined;
    const turn = new PromptTurn(random.uuid(), { liveRunId: this.#liveRunId, runId: question?.runId });
    this.#turn = turn;
    // When the connection ends, the run continues: its answer is in the conversation.
    const onAbort = (): void => void (signal.reason instanceof RequestError && this.cancel());
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const connection = await this.#followed();
      this.#ownKeys.add(turn.idempotencyKey);
      this.#askForDecisions();
      const said = prompt.images.length === 0 ? this.#say(prompt.text, turn) : this.#show(prompt, turn, connection);
      const asked = question === undefined || prompt.text.startsWith("/") ? said : this.#answered(said, turn);
      const end = await turn.end(asked, connection.closed);
      return await this.#conclude(turn, end, asked);
    } catch (error) {
      if (turn.isCancelled) return { stopReason: "cancelled" };
      throw toRequestError(error);
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#turn = undefined;
      this.#form?.abort();
      this.#permissions.close();
      await this.#updates.sent();
    }
  }

  /** Stops the session's run, also one that the client's prompt has not caused, and what waits in the session. */
  async cancel(): Promise<void> {
    const turn = this.#turn;
    if (turn === undefined && this.#question === undefined && this.#liveRunId === undefined) return;
    if (turn !== undefined) turn.isCancelled = true;
    this.#question = undefined;
    this.#permissions.close();
    try {
      await this.#options.link.request("chat.abort", { sessionKey: this.#options.key, queued: true });
      turn?.drop();
    } catch (error) {
      // Its prompt ends with the connection.
      this.#options.onError(toRequestError(error));
    }
  }

  /** Stops the client's prompt, or the run that waits for the client's answer, and sends the client no further updates. */
  async close(): Promise<void> {
    if (this.isBusy || this.#question !== undefined) await this.cancel();
    await this.leave();
  }

  /** Sends the client no further updates; its run continues. */
  async leave(): Promise<void> {
    this.#unfollow();
    this.#permissions.close();
    this.#turn?.abandon();
    await this.#services.detach();
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection === undefined || connection.closed.aborted) return;
    await connection.request("chat.unsubscribe", { sessionKey: this.#options.key });
  }

  /** Subscribes on the live connection. Events wait until `release`, so that what came before them is shown first. */
  async #subscribe(limit: number): Promise<{ readonly snapshot: ChatSnapshot; readonly release: () => void }> {
    const { key, link } = this.#options;
    const connection = await link.connection();
    this.#unfollow();
    const early: ChatEvent[] = [];
    let receive = (event: ChatEvent): void => void early.push(event);
    this.#unfollow = connection.follow((event) => {
      if (event.name === "approvals-change") this.#askForDecisions();
      else if (event.name === "sessions-change") this.#receiveChange(event.payload.keys);
      else if (event.name !== "chat") this.#services.receive(event, connection);
      else if (event.payload.sessionKey === key) receive(event.payload.event);
    });
    const snapshot = await connection.request("chat.subscribe", { sessionKey: key, limit });
    this.#connection = connection;
    await this.#services.attach(connection);
    this.#liveRunId = snapshot.live?.runId;
    const release = (): void => {
      receive = (event) => this.#receive(event);
      for (const event of early) receive(event);
    };
    return { snapshot, release };
  }

  async #say(text: string, { idempotencyKey }: PromptTurn): Promise<AgentRunResult> {
    return this.#options.link.request("agent", { message: text, sessionKey: this.#options.key, idempotencyKey });
  }

  /** The message answered a question, whose run continues, unless it came too late: then it gets a run of its own, or no run. */
  async #answered(said: Promise<AgentRunResult>, turn: PromptTurn): Promise<AgentRunResult> {
    const result = await said;
    if (result.runId !== "" || this.#liveRunId === undefined) return result;
    const outcome = await turn.outcome();
    return { ...result, text: "", outcome, runId: turn.runId ?? "" };
  }

  /** Images are uploaded first, as those of the page are, and named in the message. */
  async #show({ text, images }: Prompt, turn: PromptTurn, connection: GatewayConnection): Promise<AgentRunResult> {
    const attachments: { readonly ref: string }[] = [];
    for (const image of images) attachments.push({ ref: await connection.upload(image) });
    const { idempotencyKey } = turn;
    const { sessionKey } = await connection.request("chat.send", { sessionKey: this.#options.key, text, attachments, idempotencyKey });
    const outcome = await turn.outcome();
    return { sessionKey, runId: turn.runId ?? "", outcome, text: "", usage: NO_USAGE };
  }

  /** The connection on which the session is followed; a new one after it broke. */
  async #followed(): Promise<GatewayConnection> {
    if (this.#connection === undefined || this.#connection.closed.aborted) await this.follow();
    // The editor that was there before may have left.
    else await this.#services.attach(this.#connection);
    return this.#connection ?? this.#options.link.connection();
  }

  #showLive({ live }: ChatSnapshot): void {
    if (live !== undefined) this.#updates.push(this.#renderer.renderLive(live));
  }

  /** Another client may have chosen something, or a run of it has ended. A prompt of this client tells that itself when it ends. */
  #receiveChange(keys: readonly string[]): void {
    const knowsSession = this.#remarks === undefined;
    if (knowsSession && !this.isBusy && keys.includes(this.#options.key)) void this.tellState();
  }

  #receive(event: ChatEvent): void {
    const turn = this.#turn;
    const hadRun = turn?.runId !== undefined;
    if (event.type === "run-start") this.#liveRunId = event.runId;
    if (event.type === "run-end") this.#liveRunId = undefined;
    turn?.receive(event);
    const updates = this.#renderer.renderEvent(event);
    if (turn !== undefined && updates.length > 0) turn.hasShown = true;
    this.#updates.push(updates);
    if (turn !== undefined && event.type === "entry") this.#receiveEntry(event.entry, turn);
    if (event.type === "run-end") this.#form?.abort();
    // It was cancelled before its message had reached the queue.
    if (turn?.isCancelled === true && !hadRun && turn.runId !== undefined) void this.cancel();
  }

  #receiveEntry(entry: ChatEntry, turn: PromptTurn): void {
    // The run has continued: its question was answered or withdrawn.
    if (entry.type === "tool-result") this.#form?.abort();
    if (entry.type !== "notice" || entry.request?.type !== "answer") return;
    if (isOffered(this.#options.offers.elicitation?.form)) void this.#askInForm({ id: entry.request.id, text: entry.text }, turn);
    else turn.waitForAnswer();
  }

  /** Asks in a form of the client; if that gives no answer, the prompt ends, and the next one answers. */
  async #askInForm(question: ShownQuestion, turn: PromptTurn): Promise<void> {
    const { key: sessionId, client, random, onError } = this.#options;
    const form = new AbortController();
    this.#form = form;
    try {
      const command = await askInForm(question, { sessionId, client, signal: form.signal });
      if (command === undefined) {
        turn.waitForAnswer();
        return;
      }
      const idempotencyKey = random.uuid();
      this.#ownKeys.add(idempotencyKey);
      await this.#options.link.request("agent", { message: command, sessionKey: sessionId, idempotencyKey });
    } catch (error) {
      if (form.signal.aborted) return;
      onError(toRequestError(error));
      turn.waitForAnswer();
    }
  }

  /** Words of the server itself: shown once the client knows the session, and logged. */
  #remark(text: string): void {
    this.#options.onError(new Error(text));
    if (this.#remarks === undefined) this.#updates.push([this.#renderer.renderNote(text)]);
    else this.#remarks.push(text);
  }

  #askForDecisions(): void {
    if (this.#turn !== undefined && !this.#turn.isCancelled) this.#permissions.refresh();
  }

  async #conclude(turn: PromptTurn, end: TurnEnd, asked: Promise<AgentRunResult>): Promise<PromptResponse> {
    if (end.type === "question") {
      // Its run is followed by its events from here on.
      asked.catch(() => undefined);
      this.#question = { runId: turn.runId };
      return { stopReason: turn.isCancelled ? "cancelled" : "end_turn" };
    }
    const { outcome, runId, text, remarks = [] } = end.result;
    const unseen = runId === "" && !turn.hasShown && text !== "" ? [text] : [];
    this.#updates.push([...unseen, ...remarks].map((words) => this.#renderer.renderNote(words)));
    await this.tellState();
    if (turn.isCancelled || outcome.type === "aborted") return { stopReason: "cancelled" };
    if (outcome.type === "failed") throw new RequestError(-32_603, outcome.message ?? "The run failed.", { reason: "run-failed" });
    return { stopReason: turn.isCut ? "max_tokens" : "end_turn" };
  }
}

/** The refusal of what cannot be done while a prompt is being answered. */
export function busy(): RequestError {
  return new RequestError(-32_600, "A prompt of this session is being answered. Cancel it, or wait.", { reason: "conflict" });
}

function isOffered(capability: object | null | undefined): boolean {
  return capability !== undefined && capability !== null;
}

function undecided(toolName: string, id: string): string {
  return `The editor could not ask about ${toolName}, which waits. Decide in the Control UI, or with: factotum approvals decide ${id} allow-once (or deny)`;
}

const NO_USAGE: AgentRunResult["usage"] = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const PAGE = 200;
const MAX_PAGES = 50;
const EARLIER = "(Earlier messages are in the Control UI.)";
