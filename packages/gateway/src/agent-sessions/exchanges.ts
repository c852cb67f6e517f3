import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock, Logger } from "@factotum/agent-contract";
import { isExchangeEnd } from "@factotum/agent-core";
import type { MsgContext, Origin } from "@factotum/channel-contract";
import type {
  ExchangeRecord,
  ExchangeStore,
  InboxStore,
  InputAdmission,
  SessionRecord,
  SessionStore,
  TranscriptStore,
  TurnStore,
} from "@factotum/store";
import { answerText } from "../delivery/chat-entries.ts";
import { parseReply } from "../delivery/parse-reply.ts";
import type { CrashPointHook } from "../kernel/crash-point.ts";
import type { InputWatcher, InputWatchers } from "../queue/run-report.ts";
import { isOwnAddress } from "../delivery/plan-message.ts";
import type { ChatAddresses } from "../delivery/plan-message.ts";
import { bindToSubagent } from "../subagents/bind-to-subagent.ts";
import type { SessionSubagents } from "../subagents/session-subagents.ts";
import { addressOfKey, sessionKind } from "../routing/session-key.ts";
import { endOfInput, endOfRun } from "../queue/run-end.ts";
import { afterStep, laterEnd, nextStep, stepInput } from "./exchange.ts";
import type { ExchangeStep, StepEnd } from "./exchange.ts";

/** Maximum concurrent exchanges: of one session, and of all. */
const MAX_OF_SESSION = 8;
const MAX_OPEN = 64;

/** Entries of a turn that are searched for its answer. */
const MAX_ENTRIES = 200;

/** What exchanges use. */
export interface ExchangesParts {
  readonly store: ExchangeStore & InboxStore & SessionStore & TranscriptStore & TurnStore;
  /** Takes the input of a step; the same event is accepted once. `watcher` is notified when a new one ends. */
  readonly submit: (
    message: MsgContext,
    admission: InputAdmission,
    watcher: InputWatcher,
  ) => Promise<{ readonly status: "accepted" | "duplicate"; readonly inputId: string; readonly watch: Disposable }>;
  readonly watchers: InputWatchers;
  /** What sessions hand out during a step: the results of that are part of its reply. */
  readonly subagents: Pick<SessionSubagents, "boundsOf" | "ofStep" | "untilEnded">;
  readonly channels: ChatAddresses;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly crashPoint?: CrashPointHook | undefined;
}

/** An exchange that has begun. */
export interface BegunExchange {
  /** Resolves with the first reply; `undefined` if the gateway ends first. */
  readonly first: Promise<StepEnd | undefined>;
  /** Ends it with the current step: the person who waits has stopped the run. */
  readonly stop: () => void;
}

/** The run that has begun an exchange. */
interface WaitingRequester {
  readonly onFirst: (end: StepEnd | undefined) => void;
  readonly taken: Promise<boolean>;
}

/** The chat of a session itself, if it has one: of a group, or of one person. A session of many chats has none of its own (R4). */
export function chatOf(record: Pick<SessionRecord, "key" | "lastOrigin"> | undefined): Origin | undefined {
  const origin = record?.lastOrigin;
  return record !== undefined && origin !== undefined && addressOfKey(record.key)?.channel === origin.channel ? origin : undefined;
}

/**
 * Where the end of an exchange is announced: the chat of a session itself; for a person's session on every channel, such as the main session, the chat of its
 * newest turn when the exchange begins. `undefined` where clients read the transcript, which has the exchange.
 */
export function announcementChatOf(
  record: Pick<SessionRecord, "key" | "lastOrigin"> | undefined,
  { mainKey, channels }: { readonly mainKey: string; readonly channels: ChatAddresses },
): Origin | undefined {
  const own = chatOf(record);
  const origin = record?.lastOrigin;
  if (own !== undefined || record === undefined || origin === undefined) return own;
  const address = addressOfKey(record.key);
  const isOfPerson =
    address === undefined ? sessionKind(record.key, mainKey) === "main" : address.type === "direct" && address.channel === undefined;
  const isChat = origin.conversation.kind === "direct" && channels.accountFor(origin) !== undefined && !isOwnAddress(origin, channels);
  return isOfPerson && isChat ? origin : undefined;
}

/**
 * Carries exchanges between sessions from step to step. Each step is an input of its session, with a stable id; what was said is stored before the next one, so
 * that a restart continues with the next step, and asks nothing twice (R1).
 */
export class Exchanges {
  readonly #parts: ExchangesParts;
  readonly #open = new Map<string, ExchangeRecord>();
  readonly #stopped = new Set<string>();
  /** Those whose first reply was given, until the turn that has it ends: none of their steps runs. */
  readonly #given = new Set<string>();
  readonly #closing = new AbortController();
  readonly #driven = new Set<Promise<void>>();

  constructor(parts: ExchangesParts) {
    this.#parts = parts;
  }

  /** True if no further exchange of a session may begin now. */
  isFull(sessionKey: string): boolean {
    const open = [...this.#open.values()].filter(({ id }) => !this.#given.has(id));
    const own = open.filter(({ requester }) => requester.sessionKey === sessionKey);
    return own.length >= MAX_OF_SESSION || open.length >= MAX_OPEN;
  }

  get isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  /**
   * Begins an exchange, which is stored then. `taken` resolves when the run that waits has ended and had the first reply, or with false when it no longer waits
   * for that.
   */
  async begin(exchange: ExchangeRecord, taken: Promise<boolean> = Promise.resolve(false)): Promise<BegunExchange> {
    this.#open.set(exchange.id, exchange);
    try {
      await this.#parts.store.putExchange(exchange);
    } catch (error) {
      this.#open.delete(exchange.id);
      throw error;
    }
    this.#parts.crashPoint?.("after-exchange");
    const { promise: first, resolve } = Promise.withResolvers<StepEnd | undefined>();
    this.#start(exchange, { onFirst: resolve, taken });
    return { first, stop: () => this.#stopped.add(exchange.id) };
  }

  /** Resumes what an earlier process left unfinished. */
  async recover(): Promise<void> {
    for (const exchange of await this.#parts.store.listExchanges()) {
      this.#open.set(exchange.id, exchange);
      this.#start(exchange, { onFirst: () => undefined, taken: Promise.resolve(false) });
    }
  }

  /** Begins no further step: the next start continues. Resolves when no write is pending. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#driven);
  }

  #start(exchange: ExchangeRecord, requester: WaitingRequester): void {
    const driven = this.#drive(exchange, requester)
      .catch((error: unknown) => {
        requester.onFirst({ type: "failed", reason: "the message could not be stored" });
        if (!this.isClosing)
          this.#parts.logger.error("An exchange between sessions could not continue", { exchangeId: exchange.id, error });
      })
      .finally(() => {
        this.#open.delete(exchange.id);
        this.#stopped.delete(exchange.id);
        this.#driven.delete(driven);
      });
    this.#driven.add(driven);
  }

  async #drive(begun: ExchangeRecord, { onFirst, taken }: WaitingRequester): Promise<void> {
    const { store } = this.#parts;
    let exchange: ExchangeRecord | undefined = begun;
    while (exchange !== undefined) {
      const end = await this.#step(exchange);
      if (exchange.turn === 0) onFirst(end);
      if (end === undefined) return;
      const isGiven: boolean | undefined =
        exchange.turn === 0 && end.type === "replied" && end.tainted ? await this.#untilGiven(begun.id, taken) : false;
      if (isGiven === undefined) return;
      exchange = this.#stopped.has(begun.id) ? undefined : afterStep(exchange, end, { isGiven });
      await (exchange === undefined ? store.removeExchange(begun.id) : store.putExchange(exchange));
      this.#parts.crashPoint?.("after-exchange");
    }
  }

  /** Has a session answer, and waits for the results of its sub-agents; `undefined` if the gateway ends first. */
  async #step(exchange: ExchangeRecord): Promise<StepEnd | undefined> {
    const { store, clock, submit, watchers, subagents } = this.#parts;
    if (this.isClosing) return undefined;
    const step = nextStep(exchange);
    const { requester, target } = exchange;
    const chat =
      step.receiver === "requester"
        ? chatOf(await store.readSession(requester.sessionKey))
        : step.step === "announce"
          ? target.origin
          : chatOf({ key: target.sessionKey, ...withoutUndefined({ lastOrigin: target.origin }) });
    const { message, admission: own } = stepInput(exchange, step, { chat, nowMs: clock.now() });
    const admission = bindToSubagent(own, subagents.boundsOf(own.sessionKey ?? ""));
    const end = await this.#endOf(async (watcher) => {
      const submission = await submit(message, admission, watcher);
      const { status, inputId } = submission;
      return { inputId, watch: status === "duplicate" ? watchers.watch(inputId, watcher) : submission.watch };
    });
    return end === undefined ? undefined : await this.#withResults(exchange, step, end);
  }

  /** The end of a step once the sub-agents that it has started have ended: their results are answered in turns of their own, and the last answer is the reply. */
  async #withResults(exchange: ExchangeRecord, { receiver, step, turn }: ExchangeStep, first: StepEnd): Promise<StepEnd | undefined> {
    const { store, subagents, watchers } = this.#parts;
    const { sessionKey } = exchange[receiver];
    const seen = new Set<string>();
    let end = first;
    while (!this.#stopped.has(exchange.id)) {
      const spawn = subagents.ofStep(sessionKey, { exchangeId: exchange.id, step, turn }).find(({ id }) => !seen.has(id));
      if (spawn === undefined) break;
      seen.add(spawn.id);
      await this.#untilClosing(subagents.untilEnded(spawn.id));
      if (this.isClosing) return undefined;
      const report = await store.findInput(spawn.report.message);
      // An event gets no turn of its own.
      if (report === undefined || report.admission.isEvent === true) continue;
      const later = await this.#endOf(async (watcher) => ({ inputId: report.id, watch: watchers.watch(report.id, watcher) }));
      if (later === undefined) return undefined;
      end = laterEnd(end, later);
    }
    return end;
  }

  /** A reply stays unrecorded until the turn that has it ends, so that a restart gives it to the requester. */
  async #untilGiven(id: string, taken: Promise<boolean>): Promise<boolean | undefined> {
    this.#given.add(id);
    const isGiven = await this.#untilClosing(taken);
    this.#given.delete(id);
    return isGiven;
  }

  /** The result of work; `undefined` if the gateway ends first. */
  async #untilClosing<Result>(work: Promise<Result>): Promise<Result | undefined> {
    const { signal } = this.#closing;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const onClose = (): void => resolve(undefined);
    signal.addEventListener("abort", onClose, { once: true });
    if (signal.aborted) onClose();
    try {
      return await Promise.race([work, promise]);
    } finally {
      signal.removeEventListener("abort", onClose);
    }
  }

  /** How the turn of an input ends; `undefined` if the gateway ends first. */
  async #endOf(
    begin: (watcher: InputWatcher) => Promise<{ readonly inputId: string; readonly watch: Disposable }>,
  ): Promise<StepEnd | undefined> {
    const { promise, resolve } = Promise.withResolvers<StepEnd>();
    const watcher: InputWatcher = {
      onClaimed: () => undefined,
      onReport: (report) => {
        const { state, reason = "it ended without an answer" } = endOfRun(report);
        resolve(state === "done" ? { type: "replied", text: report.text, tainted: report.tainted } : { type: "failed", reason });
      },
      onAnswered: (text) => resolve({ type: "failed", reason: text }),
      onSettled: (reason) => resolve({ type: "failed", reason }),
    };
    const { inputId, watch } = await begin(watcher);
    using _watch = watch;
    // It may have ended before it was watched.
    const ended = await this.#storedEnd(inputId);
    if (ended !== undefined) resolve(ended);
    return await this.#untilClosing(promise);
  }

  /** The end of an input's turn, read from the store. */
  async #storedEnd(inputId: string): Promise<StepEnd | undefined> {
    const { store } = this.#parts;
    const input = await store.readInput(inputId);
    const end = endOfInput(input?.state ?? { type: "ignored", reason: "its input is gone" });
    if (end === undefined) return undefined;
    if (end.state !== "done") return { type: "failed", reason: end.reason ?? "it failed" };
    const turn = input?.turnId === undefined ? undefined : await store.readTurn(input.turnId);
    if (turn === undefined) return { type: "failed", reason: "its answer is gone" };
    const { items } = await store.readTranscript(turn.sessionId, { limit: MAX_ENTRIES });
    const texts = items.flatMap((entry) =>
      entry.type === "message" && entry.turnId === turn.id && entry.message.role === "assistant" ? [answerText(entry.message)] : [],
    );
    const text = texts.findLast((one) => one.trim() !== "") ?? "";
    const reply = parseReply(text);
    return { type: "replied", text: reply.type === "silent" || isExchangeEnd(text) ? "" : reply.text, tainted: turn.untainted !== true };
  }
}
