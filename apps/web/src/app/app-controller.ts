import type { ChatAttachment, ChatEvent, ChatSnapshot } from "@factotum/protocol";
import type { FailedInput } from "../chat/find-retry.ts";
import type { ChangedTurn } from "../chat/undoable-turn.ts";
import { applyEvent, applySnapshot, type ChatState, prependHistory } from "../chat/chat-state.ts";
import type { GatewayClient } from "../gateway-client/gateway-client.ts";
import { RpcError } from "../gateway-client/rpc-error.ts";
import type { Timers } from "../gateway-client/timers.ts";
import type { SessionPlace, View } from "./address.ts";
import { type AppState, mainKeyOf } from "./app-state.ts";
import { Outbox } from "./outbox.ts";
import type { MediaCache } from "./media-cache.ts";
import { readExport } from "./read-export.ts";
import { mergeSessions } from "./merge-sessions.ts";
import { BranchController } from "./branch-controller.ts";
import { SubagentController } from "./subagent-controller.ts";
import { newSessionKey } from "./session-key.ts";
import type { Store } from "./store.ts";
import type { UploadOutcome } from "./upload-file.ts";
import { WarningController } from "./warning-controller.ts";
import { t } from "../i18n/t.ts";

/** Dependencies of the controller. */
export interface AppControllerOptions {
  readonly client: GatewayClient;
  readonly store: Store<AppState>;
  readonly storage: Pick<Storage, "getItem" | "setItem">;
  readonly timers: Timers;
  randomId(): string;
  /** Uploads an image to the gateway. */
  upload(image: Blob): Promise<UploadOutcome>;
  /** Saves a file on the person's device. */
  saveFile(name: string, text: string): void;
  /** Files of messages. */
  readonly media: MediaCache;
  /** Called when another session or view was opened, to change the address; with `isFirst`, by the page itself, which must not leave another page. */
  onNavigate(place: SessionPlace, options: { readonly isFirst: boolean }): void;
}

const PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 200;
/** Changes of sessions and agents within this time cause one request. */
const REFRESH_DELAY_MS = 150;

/** No key of the protocol is longer. */
const MAX_KEY_CHARS = 1000;

/** Milliseconds within which a deletion can be undone. */
const UNDO_MS = 8000;

/** The person's actions on the page. Failures are shown in `state.alert`; nothing here rejects. */
export class AppController {
  readonly outbox: Outbox;
  readonly subagents: SubagentController;
  /** Other versions of messages. */
  readonly branches: BranchController;
  readonly warnings: WarningController;
  readonly #options: AppControllerOptions;
  #endWatch: () => void = () => undefined;
  #cancelDelete: () => void = () => undefined;
  #refreshScheduled = false;

  constructor(options: AppControllerOptions) {
    this.#options = options;
    const { client, store, storage, timers } = options;
    this.outbox = new Outbox({
      client,
      storage,
      timers,
      randomId: () => options.randomId(),
      onChange: (outgoing) => {
        store.update({ outgoing });
        options.media.keepPreviews(new Set(outgoing.flatMap(({ attachments = [] }) => attachments.map(({ ref }) => ref))));
      },
    });
    this.subagents = new SubagentController(client, store);
    this.warnings = new WarningController({ client, store, guard: async (action) => this.#guard(action) });
    this.branches = new BranchController({ client, store, outbox: this.outbox });
    store.update({ outgoing: this.outbox.messages });
    client.onStateChange((connection) => {
      store.update({ connection });
      if (connection.type !== "connected") return;
      void this.#guard(() => this.#refresh());
      void this.warnings.refresh();
    });
    client.onEvent((event) => {
      // The file says which agents there are, and what they are called.
      if (event.type === "sessions-change" || event.type === "config-change") this.#scheduleRefresh();
      if (event.type === "warnings-change") this.warnings.show(event.payload.warnings);
    });
  }

  get #state(): AppState {
    return this.#options.store.get();
  }

  /** Opens a session, which may not exist yet, and goes to its conversation. */
  openSession(sessionKey: string): void {
    this.#select(sessionKey);
    this.#go("chat");
  }

  /** Opens the context view of the session. */
  showContext(): void {
    this.#go("context");
  }

  /** Returns to the conversation. */
  showChat(): void {
    this.#go("chat");
  }

  /** Opens what the address names. */
  follow({ sessionKey }: SessionPlace): void {
    this.#select(sessionKey);
  }

  #select(sessionKey: string): void {
    if (this.#state.sessionKey === sessionKey) return;
    this.#options.store.update({ sessionKey, open: { type: "loading" }, older: "idle" });
    this.#watch(sessionKey);
  }

  #watch(sessionKey: string): void {
    this.#endWatch();
    this.#endWatch = this.#options.client.watchChat(sessionKey, {
      onSnapshot: (snapshot) => this.#receiveSnapshot(snapshot),
      onEvent: (event) => this.#receiveEvent(event),
      onError: ({ message }) => {
        // What refuses such a key speaks of messages or of the protocol.
        const reason = sessionKey.length > MAX_KEY_CHARS ? t("Its address is too long.") : message;
        this.#options.store.update({ open: { type: "failed", message: reason } });
      },
    });
  }

  #go(view: View, options: { readonly isFirst: boolean } = { isFirst: false }): void {
    const { sessionKey } = this.#state;
    if (sessionKey !== undefined) this.#options.onNavigate({ sessionKey, view }, options);
  }

  /** Retries the subscription after the gateway refused it. */
  reopen(): void {
    const { sessionKey } = this.#state;
    this.#options.store.update({ sessionKey: undefined });
    if (sessionKey !== undefined) this.#select(sessionKey);
  }

  startChat(): void {
    const { agentId } = this.#state;
    if (agentId !== undefined) this.openSession(newSessionKey(agentId, this.#options.randomId()));
  }

  openMain(): void {
    const main = mainKeyOf(this.#state);
    if (main !== undefined) this.openSession(main);
  }

  /** The first session of the page, unless the address names one. */
  #openFirst(): void {
    const main = mainKeyOf(this.#state);
    if (this.#state.sessionKey !== undefined || main === undefined) return;
    this.#select(main);
    this.#go("chat", { isFirst: true });
  }

  chooseAgent(agentId: string): void {
    this.#options.store.update({ agentId, sessions: [], sessionsCursor: undefined });
    this.openMain();
    void this.#guard(() => this.#refresh());
  }

  send(text: string, attachments: readonly ChatAttachment[] = []): void {
    const { sessionKey } = this.#state;
    if (sessionKey !== undefined) this.outbox.send(sessionKey, text, attachments);
  }

  /** The last message of this page's person in the open session, sent or pending. */
  lastSaid(): string | undefined {
    const { open, outgoing, sessionKey } = this.#state;
    const waiting = outgoing.findLast((message) => message.sessionKey === sessionKey && message.text !== "");
    if (waiting !== undefined || open.type !== "open") return waiting?.text;
    const said = open.chat.entries.findLast((entry) => entry.type === "user" && entry.channel === "webchat" && entry.text !== "");
    return said?.type === "user" ? said.text : undefined;
  }

  /** Uploads a file for a message that is still being written. */
  async upload(image: Blob): Promise<UploadOutcome> {
    return this.#options.upload(image);
  }

  get media(): MediaCache {
    return this.#options.media;
  }

  /**
   * Sends a failed message again. Files are uploaded again, since uploads are consumed by their message; a file that the gateway no longer keeps is left out.
   */
  async sendAgain({ text, files = [], idempotencyKey }: Pick<FailedInput, "text" | "files" | "idempotencyKey">): Promise<void> {
    const { sessionKey } = this.#state;
    if (sessionKey === undefined) return;
    const attachments: ChatAttachment[] = [];
    for (const { id, name } of files) {
      const blob = await this.#options.media.blob(sessionKey, id);
      const handed = blob === undefined ? undefined : await this.#options.upload(blob);
      if (handed?.type === "uploaded")
        attachments.push({ ref: handed.ref, kind: handed.kind, ...(name !== undefined && { fileName: name }) });
    }
    if (text !== "" || attachments.length > 0) this.outbox.send(sessionKey, text, attachments, idempotencyKey);
  }

  /** Stops the run; with `queued`, drops waiting messages too. */
  stop(options: { readonly queued: boolean }): Promise<void> {
    const { open, sessionKey } = this.#state;
    if (open.type !== "open" || sessionKey === undefined) return Promise.resolve();
    const runId = open.chat.live?.runId;
    const params = { sessionKey, ...(runId !== undefined && { runId }), ...(options.queued ? { queued: true } : {}) };
    return this.#guard(async () => void (await this.#options.client.request("chat.abort", params)));
  }

  async loadOlder(): Promise<void> {
    const { open, older, sessionKey } = this.#state;
    if (open.type !== "open" || open.chat.before === undefined || older === "loading" || sessionKey === undefined) return;
    const { before } = open.chat;
    this.#options.store.update({ older: "loading" });
    try {
      const page = await this.#options.client.request("chat.history", { sessionKey, before, limit: PAGE_SIZE });
      const now = this.#state;
      if (now.sessionKey !== sessionKey || now.open.type !== "open" || now.open.chat.before !== before) return;
      this.#options.store.update({ older: "idle", open: { type: "open", chat: prependHistory(now.open.chat, page) } });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      if (this.#state.sessionKey === sessionKey) this.#options.store.update({ older: "failed" });
    }
  }

  async loadMoreSessions(): Promise<void> {
    const { sessionsCursor: cursor, agentId, sessions } = this.#state;
    if (cursor === undefined || agentId === undefined) return;
    await this.#guard(async () => {
      const page = await this.#options.client.request("sessions.list", { agentId, cursor, exceptSubagents: true, limit: PAGE_SIZE });
      if (this.#state.sessions === sessions)
        this.#options.store.update({ sessions: mergeSessions(sessions, page.sessions), sessionsCursor: page.cursor });
    });
  }

  /** An empty name removes the person's own name. */
  async rename(key: string, label: string): Promise<void> {
    await this.#guard(async () => {
      const name = label.trim();
      await this.#options.client.request("sessions.patch", { key, label: name === "" ? null : name });
      await this.#refresh();
    });
  }

  /** Pins or archives a session, or takes that back. */
  async mark(key: string, mark: { readonly pinned: boolean } | { readonly archived: boolean }): Promise<void> {
    await this.#guard(async () => {
      await this.#options.client.request("sessions.patch", { key, ...mark });
      await this.#refresh();
    });
  }

  async reset(key: string): Promise<void> {
    await this.#guard(async () => void (await this.#options.client.request("sessions.reset", { key })));
  }

  /** Deletes a session after a delay; `undoDelete` cancels it until then. */
  remove(key: string, title: string): void {
    void this.finishDelete();
    this.#options.store.update({ deleting: { key, title } });
    this.#cancelDelete = this.#options.timers.schedule(UNDO_MS, () => void this.finishDelete());
    if (this.#state.sessionKey === key && mainKeyOf(this.#state) !== key) this.openMain();
  }

  undoDelete(): void {
    this.#cancelDelete();
    this.#options.store.update({ deleting: undefined });
  }

  /** Completes a pending deletion now, because of another deletion or because the page is left. */
  async finishDelete(): Promise<void> {
    const { deleting } = this.#state;
    if (deleting === undefined) return;
    this.#cancelDelete();
    await this.#guard(async () => {
      await this.#options.client.request("sessions.delete", { key: deleting.key });
      await this.#refresh();
      if (this.#state.sessionKey === deleting.key) this.reopen();
    });
    if (this.#state.deleting === deleting) this.#options.store.update({ deleting: undefined });
  }

  /** Exports the whole conversation as stored by the gateway into a file. */
  async export(key: string, title: string): Promise<void> {
    await this.#guard(async () => {
      const text = await readExport(this.#options.client, key);
      this.#options.saveFile(`${title.replaceAll(/[^\p{L}\p{N} ._-]+/gu, "_").slice(0, 80)}.jsonl`, text);
    });
  }

  /** Puts a text into the message field of the open session. */
  editAgain(text: string): void {
    this.#options.store.update({ edit: { text, serial: (this.#state.edit?.serial ?? 0) + 1 } });
  }

  /** Requests agents and sessions now, because they have changed. */
  async refresh(): Promise<void> {
    await this.#guard(() => this.#refresh());
  }

  /** The newest turns of a session that changed files and were not undone, newest first; none where it cannot be asked. */
  async changedTurns(sessionKey: string): Promise<readonly ChangedTurn[]> {
    try {
      return (await this.#options.client.request("checkpoints.list", { sessionKey })).turns;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return [];
    }
  }

  dismissAlert(): void {
    this.#options.store.update({ alert: undefined });
  }

  dismissNews(): void {
    this.#options.store.update({ news: undefined });
  }

  #receiveSnapshot(snapshot: ChatSnapshot): void {
    const { open } = this.#state;
    this.#show(applySnapshot(open.type === "open" ? open.chat : undefined, snapshot));
    const idle = snapshot.live === undefined && snapshot.queued === 0;
    this.outbox.settle(this.#state.sessionKey ?? snapshot.sessionKey, snapshot.entries, idle);
  }

  #receiveEvent(event: ChatEvent): void {
    const { open, sessionKey } = this.#state;
    if (open.type !== "open" || sessionKey === undefined) return;
    if (event.type === "branch-change") return this.#watch(sessionKey);
    const chat = applyEvent(open.chat, event);
    this.#show(chat);
    const ends = event.type === "run-end" || event.type === "reset" || (event.type === "entry" && event.entry.type === "notice");
    const idle = ends && chat.live === undefined && chat.queued === 0;
    this.outbox.settle(sessionKey, event.type === "entry" ? [event.entry] : [], idle);
  }

  #show(chat: ChatState): void {
    this.#options.store.update({ open: { type: "open", chat } });
  }

  #scheduleRefresh(): void {
    if (this.#refreshScheduled) return;
    this.#refreshScheduled = true;
    this.#options.timers.schedule(REFRESH_DELAY_MS, () => {
      this.#refreshScheduled = false;
      if (this.#options.client.state.type === "connected") void this.#guard(() => this.#refresh());
    });
  }

  /** Requests the agents and as many sessions as are shown, at most one page. */
  async #refresh(): Promise<void> {
    const { client, store } = this.#options;
    const { agents } = await client.request("agents.list", {});
    const known = agents.find((agent) => agent.id === this.#state.agentId);
    const agentId = (known ?? agents.find((agent) => agent.isDefault) ?? agents[0])?.id;
    store.update({ agents, agentId });
    this.#openFirst();
    if (agentId === undefined) return;
    const limit = Math.min(MAX_PAGE_SIZE, Math.max(PAGE_SIZE, this.#state.sessions.length));
    const [page, pinned] = await Promise.all([
      client.request("sessions.list", { agentId, exceptSubagents: true, limit }),
      client.request("sessions.list", { agentId, exceptSubagents: true, pinned: true }),
    ]);
    if (this.#state.agentId === agentId)
      store.update({ sessions: mergeSessions(page.sessions, pinned.sessions), sessionsCursor: page.cursor });
  }

  /** Runs an action; its failure becomes the alert, except a lost connection, which is shown elsewhere. */
  async #guard(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      if (error.code !== "disconnected") this.#options.store.update({ alert: error.message });
    }
  }
}
