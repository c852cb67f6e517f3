import type { ListTasksRequest, ListTasksResponse, SendMessageRequest, StreamResponse, Task } from "@a2a-js/sdk";
import { TaskState } from "@a2a-js/sdk";
import {
  ExtendedAgentCardNotConfiguredError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import type { A2ARequestHandler } from "@a2a-js/sdk/server";
import type { ChannelHost } from "@factotum/channel-contract";
import { createAgentCard } from "./agent-card.ts";
import type { PeerLimits } from "./peer-limits.ts";
import { busy } from "./rpc-errors.ts";
import type { A2aConfig } from "../config.ts";
import { parseMessage, toMsgContext } from "../inbound/parse-message.ts";
import { renderArtifactUpdates, renderStatusUpdate, renderTask, stateOf } from "../outbound/render-task.ts";
import type { TaskFiles } from "../tasks/task-files.ts";
import { TooManyTasks } from "../tasks/task-book.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import { isOpen } from "../tasks/task-record.ts";
import type { TaskRecord, TaskText } from "../tasks/task-record.ts";

/** A blocking request returns the task as it is after this; the peer asks again, or subscribes. */
const MAX_BLOCKING_MS = 5 * 60_000;

/** What the requests of one peer need. */
export interface PeerRequestsOptions {
  readonly peer: string;
  readonly config: A2aConfig;
  readonly url: string;
  readonly book: TaskBook;
  readonly files: TaskFiles;
  readonly limits: PeerLimits;
  readonly host: Pick<ChannelHost, "accountId" | "admits" | "clock" | "receive">;
  /** Fires when the client is gone or the channel stops. */
  readonly signal: AbortSignal;
}

/** The operations of the protocol for one peer: it reaches its own tasks, and learns of no others. */
export class PeerRequests implements A2ARequestHandler {
  readonly #options: PeerRequestsOptions;

  constructor(options: PeerRequestsOptions) {
    this.#options = options;
  }

  async sendMessage(request: SendMessageRequest): Promise<Task> {
    const task = await this.#accept(request);
    if (request.configuration?.returnImmediately === true || !isOpen(task)) return this.#render(task);
    const { clock } = this.#options.host;
    const late = new AbortController();
    using _timer = clock.schedule(MAX_BLOCKING_MS, () => late.abort());
    let current = task;
    for await (const next of this.#states(task, late.signal)) current = next;
    return this.#render(current);
  }

  async *sendMessageStream(request: SendMessageRequest): AsyncGenerator<StreamResponse, void, undefined> {
    yield* this.#follow(await this.#accept(request));
  }

  async *resubscribe({ id }: { readonly id: string }): AsyncGenerator<StreamResponse, void, undefined> {
    const task = await this.#task(id);
    if (!isOpen(task)) throw new UnsupportedOperationError("the task has ended; get it instead");
    yield* this.#follow(task);
  }

  async getTask({ id }: { readonly id: string }): Promise<Task> {
    return this.#render(await this.#task(id));
  }

  async listTasks(request: ListTasksRequest): Promise<ListTasksResponse> {
    const { book, peer } = this.#options;
    const pageSize = request.pageSize ?? 50;
    const offset = request.pageToken === "" ? 0 : Number(request.pageToken);
    if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > 100) throw new RequestMalformedError("pageSize must be 1 to 100");
    if (!Number.isInteger(offset) || offset < 0) throw new RequestMalformedError("the pageToken is not one of this agent");
    const afterMs = request.statusTimestampAfter === undefined ? 0 : Date.parse(request.statusTimestampAfter);
    const found = (await book.list(peer)).filter(
      (task) =>
        (request.contextId === "" || task.contextId === request.contextId) &&
        (request.status === TaskState.TASK_STATE_UNSPECIFIED || stateOf(task) === request.status) &&
        !(task.changedAtMs < afterMs),
    );
    const page = found.slice(offset, offset + pageSize);
    const end = offset + page.length;
    return {
      tasks: await Promise.all(page.map((task) => this.#render(task, { withArtifacts: request.includeArtifacts === true }))),
      nextPageToken: end < found.length ? String(end) : "",
      pageSize: page.length,
      totalSize: found.length,
    };
  }

  /** Ends the work on a task, too: nothing more of it is shown. */
  async cancelTask({ id }: { readonly id: string }): Promise<Task> {
    const { book, host, peer } = this.#options;
    const cancelled = await book.exclusively(peer, async () => {
      const task = await this.#task(id);
      if (!isOpen(task)) throw new TaskNotCancelableError("the task has ended");
      const nowMs = host.clock.now();
      const record: TaskRecord = { ...task, phase: "canceled", changedAtMs: nowMs };
      const event = { text: "/stop", messageId: `cancel:${id}`, taskId: id, contextId: task.contextId };
      const stop = { ...toMsgContext(event, { peer, accountId: host.accountId, nowMs }), command: { name: "stop", argumentsText: "" } };
      await host.receive(stop, { state: [book.changing(peer, record)] });
      return record;
    });
    book.tell(peer, id);
    return this.#render(cancelled);
  }

  getAgentCard(): ReturnType<A2ARequestHandler["getAgentCard"]> {
    return Promise.resolve(createAgentCard(this.#options.config, this.#options.url));
  }

  getAuthenticatedExtendedAgentCard(): Promise<never> {
    return Promise.reject(new ExtendedAgentCardNotConfiguredError());
  }

  // An address that a peer names is not called: it may be one of the gateway's own network.
  createTaskPushNotificationConfig(): Promise<never> {
    return Promise.reject(new PushNotificationNotSupportedError());
  }

  getTaskPushNotificationConfig(): Promise<never> {
    return Promise.reject(new PushNotificationNotSupportedError());
  }

  listTaskPushNotificationConfigs(): Promise<never> {
    return Promise.reject(new PushNotificationNotSupportedError());
  }

  deleteTaskPushNotificationConfig(): Promise<never> {
    return Promise.reject(new PushNotificationNotSupportedError());
  }

  /** The task of a message, stored with it in one commit; the one it has already, if the peer sends the message again. */
  async #accept(request: SendMessageRequest): Promise<TaskRecord> {
    const { book, files, config, host, limits, peer } = this.#options;
    const parsed = parseMessage(request, { peer, maxHops: config.maxHops });
    return book.exclusively(peer, async () => {
      const known = await book.get(peer, parsed.taskId);
      if (known !== undefined) return known;
      if (parsed.followedTaskId !== undefined) {
        const followed = await this.#task(parsed.followedTaskId);
        if (!isOpen(followed))
          throw new UnsupportedOperationError("the task has ended: leave taskId out, and keep contextId, to continue from it");
        throw new UnsupportedOperationError("the task takes no further message: wait for its end, or cancel it");
      }
      const open = (await book.list(peer)).find((task) => isOpen(task) && task.contextId === parsed.contextId);
      if (open !== undefined)
        throw new UnsupportedOperationError(`task ${open.id} of this context is open: wait for it, cancel it, or leave contextId out`);
      if (!limits.take(peer, "message")) throw busy("too many messages within a minute: send it later");
      const nowMs = host.clock.now();
      const { taskId: id, contextId, onwardHops } = parsed;
      const { changes, attachments } = files.receiving(parsed.files, { peer, taskId: id });
      const message = toMsgContext(parsed, { peer, accountId: host.accountId, nowMs, attachments });
      // The gateway refuses it as well, and counts that.
      const isAdmitted = host.admits(message);
      const record: TaskRecord = {
        id,
        contextId,
        phase: isAdmitted ? "submitted" : "rejected",
        createdAtMs: nowMs,
        changedAtMs: nowMs,
        texts: [],
        onwardHops,
        ...(!isAdmitted && { note: "This agent does not admit you." }),
      };
      const state = await book.adding(peer, record).catch((error: unknown) => {
        throw error instanceof TooManyTasks ? busy(error.message) : error;
      });
      await host.receive(message, { state: [...state, ...(isAdmitted ? changes : [])] }).catch((error: unknown) => {
        throw error instanceof RangeError ? busy("there is no room for the files now: send it later") : error;
      });
      return record;
    });
  }

  /** A task of this peer. Another peer's is not found, either. */
  async #task(id: string): Promise<TaskRecord> {
    const task = await this.#options.book.get(this.#options.peer, id);
    if (task === undefined) throw new TaskNotFoundError("there is no such task");
    return task;
  }

  async #render(task: TaskRecord, { withArtifacts = true }: { readonly withArtifacts?: boolean } = {}): Promise<Task> {
    return renderTask(task, { withArtifacts, files: withArtifacts ? await this.#filesOf(task.texts) : new Map() });
  }

  /** The bytes of the files among texts, by id. */
  async #filesOf(texts: readonly TaskText[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const { files, peer } = this.#options;
    const found = new Map<string, Uint8Array>();
    for (const { id, file } of texts) {
      const bytes = file === undefined ? undefined : await files.get(peer, id);
      if (bytes !== undefined) found.set(id, bytes);
    }
    return found;
  }

  async *#follow(task: TaskRecord): AsyncGenerator<StreamResponse, void, undefined> {
    yield { payload: { $case: "task", value: await this.#render(task) } };
    if (!isOpen(task)) return;
    let before = task;
    for await (const next of this.#states(task)) {
      yield* renderArtifactUpdates(
        before,
        next,
        await this.#filesOf(next.texts.filter(({ id }) => before.texts.every((text) => text.id !== id))),
      );
      if (next.phase !== before.phase) yield renderStatusUpdate(next);
      before = next;
    }
  }

  /** The states that a task gets, until it ends, the client is gone, or the signal fires. */
  async *#states(task: TaskRecord, late?: AbortSignal): AsyncGenerator<TaskRecord, void, undefined> {
    const { book, limits, peer } = this.#options;
    const signal = late === undefined ? this.#options.signal : AbortSignal.any([this.#options.signal, late]);
    using place = limits.wait(peer);
    if (place === undefined) throw busy(`too many requests wait at once; the task is ${task.id}`);
    using watch = book.watch(peer, task.id, signal);
    let current: TaskRecord | undefined = await book.get(peer, task.id);
    while (current !== undefined) {
      yield current;
      if (!isOpen(current) || signal.aborted) return;
      await watch.changed();
      current = await book.get(peer, task.id);
    }
  }
}
