import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock, Random, RunFacts, SessionReference, SessionSendOutcome } from "@factotum/agent-contract";
import type { ExchangeRecord, InboxStore, TurnStore } from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import { confinementOf, isSandboxed, sandboxReason } from "../agents/run-place.ts";
import type { ChatAddresses } from "../delivery/plan-message.ts";
import { wait } from "../delivery/wait.ts";
import type { InputWatchers } from "../queue/run-report.ts";
import { readAskingTurn } from "../queue/asking-turn.ts";
import { chargedKind } from "../run-policy/input-traits.ts";
import type { SessionSubagents } from "../subagents/session-subagents.ts";
import type { BegunExchange, Exchanges } from "./exchanges.ts";
import { announcementChatOf, chatOf } from "./exchanges.ts";
import type { FoundSession, SessionFinder } from "./session-finder.ts";
import type { KnownCaller, SessionReach } from "./session-reach.ts";

/** Sessions that a message may come through. */
const MAX_HOPS = 5;

/** What sending needs. */
export interface SessionSenderParts {
  readonly store: Pick<InboxStore, "readInput"> & Pick<TurnStore, "readTurn">;
  readonly running: RunningConfig;
  readonly reach: SessionReach;
  readonly finder: SessionFinder;
  readonly exchanges: Exchanges;
  readonly subagents: Pick<SessionSubagents, "hasEnded">;
  readonly watchers: InputWatchers;
  readonly channels: ChatAddresses;
  readonly clock: Clock;
  readonly random: Random;
}

const CYCLE =
  "This message came here through the session that you would send it to: a circle would never end. Give your answer in this turn; it is the reply.";
const SELF = "This is your own session. Answer here instead of sending.";
const ENDED = "It has ended. Start another sub-agent with what is left.";

type SendProblem = Extract<SessionSendOutcome, { readonly type: "not-found" | "error" }>;

/** Sends messages from session to session. */
export class SessionSender {
  readonly #parts: SessionSenderParts;
  /** Sessions whose runs wait for a reply, and of which sessions. */
  readonly #waits = new Map<string, Set<string>>();

  constructor(parts: SessionSenderParts) {
    this.#parts = parts;
  }

  async send(
    reference: SessionReference,
    { message, timeoutMs, signal }: { readonly message: string; readonly timeoutMs: number; readonly signal: AbortSignal },
    caller: KnownCaller,
  ): Promise<SessionSendOutcome> {
    const { exchanges } = this.#parts;
    const { sessionKey } = caller.run;
    const found = await this.#findTarget(reference, caller);
    if ("type" in found) return found;
    const exchange = await this.#exchangeWith(found, { message, isAwaited: timeoutMs > 0 }, caller);
    if ("type" in exchange) return exchange;
    if (exchanges.isFull(sessionKey))
      return { type: "error", code: "too-many", message: "Too many exchanges between sessions are open. Wait until one ends." };
    const taken = Promise.withResolvers<boolean>();
    const begun = await exchanges.begin(exchange, taken.promise);
    if (timeoutMs === 0 || this.#isWaitingFor(found.key, sessionKey)) taken.resolve(false);
    if (timeoutMs === 0) return { type: "accepted", sessionKey: found.key };
    if (this.#isWaitingFor(found.key, sessionKey))
      return { type: "accepted", sessionKey: found.key, note: "That session waits for this one, so it answers after this turn." };
    const outcome = await this.#reply(begun, { from: sessionKey, to: found.key, timeoutMs, signal });
    try {
      if (outcome.type === "ok") await this.#whenEnded(caller.run, () => taken.resolve(true));
      else taken.resolve(false);
    } catch (error) {
      taken.resolve(false);
      throw error;
    }
    return outcome;
  }

  /** Why a message cannot be sent to a session; `undefined` if it can. */
  async problem(reference: SessionReference, caller: KnownCaller): Promise<SendProblem | undefined> {
    const found = await this.#findTarget(reference, caller);
    return "type" in found ? found : undefined;
  }

  async #findTarget(reference: SessionReference, caller: KnownCaller): Promise<FoundSession | SendProblem> {
    const { finder, reach, subagents } = this.#parts;
    const found = await finder.find(reference, "see", caller);
    if (found === undefined) return { type: "not-found" };
    if (found.key === caller.run.sessionKey) return { type: "error", code: "cycle", message: SELF };
    if (!(await reach.may("send", caller, found))) return { type: "not-found" };
    // Without the bounds of its task it would be a conversation of another kind.
    return subagents.hasEnded(found.key) ? { type: "error", code: "failed", message: ENDED } : found;
  }

  /** Waits for the first reply. The run holds no place meanwhile (R6). */
  async #reply(
    { first, stop }: BegunExchange,
    {
      from,
      to,
      timeoutMs,
      signal,
    }: { readonly from: string; readonly to: string; readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<SessionSendOutcome> {
    const { clock, exchanges } = this.#parts;
    const over = new AbortController();
    const targets = this.#waits.get(from) ?? new Set();
    this.#waits.set(from, targets.add(to));
    try {
      const end = await Promise.race([first, wait(timeoutMs, { clock, signal: AbortSignal.any([over.signal, signal]) })]);
      if (signal.aborted && !exchanges.isClosing) stop();
      if (end === undefined) return { type: "timeout", sessionKey: to };
      if (end.type === "failed") return { type: "error", code: "failed", message: `The session ${to} could not answer: ${end.reason}.` };
      return { type: "ok", sessionKey: to, untrusted: end.tainted, ...(end.text === "" ? {} : { reply: end.text }) };
    } finally {
      over.abort();
      targets.delete(to);
      if (targets.size === 0) this.#waits.delete(from);
    }
  }

  /** Calls back when a run has ended, with everything that its tools have answered. */
  async #whenEnded({ runId }: Pick<RunFacts, "runId">, then: () => void): Promise<void> {
    const { store, watchers } = this.#parts;
    const [inputId] = (await store.readTurn(runId))?.inputIds ?? [];
    if (inputId === undefined) return then();
    watchers.watch(inputId, { onClaimed: () => undefined, onReport: then, onAnswered: then, onSettled: then });
  }

  /** True if a session waits for another one, directly or not. */
  #isWaitingFor(sessionKey: string, other: string, seen: ReadonlySet<string> = new Set()): boolean {
    if (sessionKey === other) return true;
    if (seen.has(sessionKey)) return false;
    const further = new Set([...seen, sessionKey]);
    return [...(this.#waits.get(sessionKey) ?? [])].some((next) => this.#isWaitingFor(next, other, further));
  }

  /** The exchange that a message would begin, or why it may not. */
  async #exchangeWith(
    found: FoundSession,
    { message, isAwaited }: { readonly message: string; readonly isAwaited: boolean },
    { run, tainted }: KnownCaller,
  ): Promise<ExchangeRecord | Extract<SessionSendOutcome, { readonly type: "error" | "forbidden" }>> {
    const { store, running, clock, random } = this.#parts;
    const asking = await readAskingTurn(run.runId, store);
    if (asking === undefined) return { type: "forbidden", message: "No message asked for this turn, so it has no authority to pass on." };
    const { turn, lead, inputs } = asking;
    const { admission } = lead;
    const path = [...(admission.agentToAgent?.path ?? []), run.sessionKey];
    if (path.includes(found.key)) return { type: "error", code: "cycle", message: CYCLE };
    if (path.length > MAX_HOPS)
      return {
        type: "error",
        code: "too-many-hops",
        // Without their keys: this session may not see them.
        message: `This message came through ${path.length} sessions already. Give your answer in this turn; it is the reply.`,
      };
    const chat = chatOf(found.record);
    const group = chat !== undefined && chat.conversation.kind !== "direct";
    const { mode } = running.agent(found.agentId).config.sandbox;
    if (confinementOf(run) !== undefined && !isSandboxed(sandboxReason(mode, { owner: run.owner, group })))
      return { type: "forbidden", message: `This turn is sandboxed, and turns of ${found.key} are not, so it cannot send there.` };
    const isListed = admission.sessionKey === undefined || admission.isListedOwner === true;
    const { agentToAgent, mainKey } = running.config.session;
    const announcedIn = announcementChatOf(found.record, { mainKey, channels: this.#parts.channels });
    return {
      id: random.uuid(),
      startedAtMs: clock.now(),
      requester: { sessionKey: run.sessionKey, agentId: run.agentId, channel: turn.origin.channel },
      target: { sessionKey: found.key, agentId: found.agentId, ...withoutUndefined({ origin: announcedIn }) },
      request: message,
      path,
      authority: {
        owner: run.owner,
        author: admission.author ?? { origin: lead.message.origin, sender: lead.message.sender },
        cause: chargedKind(run.kind, inputs),
        ...(tainted || !run.owner ? { tainted: true } : {}),
        ...(run.owner && isListed ? { isListedOwner: true } : {}),
        ...withoutUndefined({ tree: admission.tree, confinement: confinementOf(run) }),
        ...(admission.job?.tools === undefined
          ? {}
          : { job: { id: admission.job.id, name: admission.job.name, tools: admission.job.tools } }),
      },
      maxTurns: 1 + (isAwaited ? agentToAgent.maxPingPongTurns : 0),
      turn: 0,
      phase: "talk",
    };
  }
}
