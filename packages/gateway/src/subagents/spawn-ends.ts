import { joinUsage, plural, withoutUndefined } from "@factotum/agent-contract";
import type { Clock, ExternalAgents, Logger, RunOutcome, UsageTotals } from "@factotum/agent-contract";
import { isOpenSpawn } from "@factotum/store";
import type { EndedSpawn, InputRecord, OwnInput, SpawnEnd, SpawnEndState, SpawnRecord, Store, TurnRecord } from "@factotum/store";
import { endExternalAgents, externalAgentOf } from "../agents/external-agent.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import type { SessionCommands } from "../background-commands/session-commands.ts";
import { answerText } from "../delivery/chat-entries.ts";
import { parseReply } from "../delivery/parse-reply.ts";
import type { HookRunner } from "../hooks/hook-runner.ts";
import type { Notices } from "../notices/notices.ts";
import { isSubagentKey } from "../routing/session-key.ts";
import type { AttachmentFolders } from "./attachment-folders.ts";
import { checkResult } from "./check-result.ts";
import { endedPayload } from "./hook-payloads.ts";
import { readInputs } from "../queue/asking-turn.ts";
import type { SpawnBook } from "./spawn-book.ts";
import { correctionEvent, correctionInput } from "./steering-input.ts";
import { plainReport, reportText } from "./subagent-report.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Timers are armed for a day at most: a longer delay is more than some clocks can count. */
const MAX_TIMER_MS = 24 * HOUR_MS;

/** How the parent is notified of a forced end: by a turn of its own, with its next turn, or not at all, since it has ended itself. */
type Telling = "turn" | "next-turn" | "never";

/** A forced end: a kill, a deadline, a loss, or `done` for one that was idle for too long. */
export interface BroughtEnd {
  readonly state: SpawnEndState;
  readonly reason: string;
  readonly tells: Telling;
}

const ENDED_WITH_PARENT: BroughtEnd = { state: "killed", reason: "its parent sub-agent ended", tells: "never" };

/** An end without a turn. */
interface SettledEnd extends Pick<BroughtEnd, "tells"> {
  readonly state: SpawnEndState;
  readonly reason?: string;
}

/** A result that waits for others. */
interface HeldResult {
  readonly input: InputRecord;
  /** An earlier process has left it. */
  readonly isRecovered: boolean;
}

/** The end of one run in the session of a sub-agent. */
export interface SubagentRunEnd {
  readonly outcome: RunOutcome;
  /** The newest text before the last answer. */
  readonly lastText: string;
  readonly tainted: boolean;
  readonly usage: UsageTotals;
}

/** What the end of a turn means for the sub-agent of its session. */
export interface SubagentTurnEnd {
  readonly end?: SpawnEnd;
  readonly followUp?: OwnInput;
}

/** What ends need of the layers above; connected by the engine. */
export interface SubagentRuntime {
  /** Queues an input that is stored. */
  readonly requeue: (input: InputRecord) => Promise<void>;
  /** Queues an input that an earlier process has left waiting. */
  readonly recover: (input: InputRecord) => Promise<void>;
  /** Stops the work of a session, and calls `then` afterwards. */
  readonly stop: (sessionKey: string, reason: string, then: () => Promise<void>) => Promise<void>;
  /** The inputs that wait in a session. */
  readonly waitingInputs: (sessionKey: string) => readonly InputRecord[];
  /** Takes an input out of the queue of its session; false if it no longer waits there. It stays stored. */
  readonly withdraw: (sessionKey: string, inputId: string) => boolean;
  /** True while the session works, or work waits in it. */
  readonly isBusy: (sessionKey: string) => boolean;
  /** Does `work` behind what waits in a session now. No turn of the session begins meanwhile, so that the inputs which it queues share one. */
  readonly behind: (sessionKey: string, work: () => Promise<void>) => Promise<void>;
  /** Reports a failure, and is waited for at the end. */
  readonly inBackground: (label: string, work: Promise<unknown>) => void;
}

/** Dependencies of ends. */
export interface SpawnEndsOptions {
  readonly store: Store;
  readonly running: RunningConfig;
  readonly book: SpawnBook;
  readonly hooks: Pick<HookRunner, "observe">;
  readonly notices: Pick<Notices, "sendToChat" | "addEntry">;
  readonly sessionCommands: Pick<SessionCommands, "endSession" | "hasRunning">;
  readonly externalAgents: Pick<ExternalAgents, "close">;
  readonly runtime: () => SubagentRuntime;
  readonly folders: Pick<AttachmentFolders, "remove">;
  /** Called when a sub-agent has ended. */
  readonly onClosed: (spawn: SpawnRecord) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Ends sub-agents, each once: with the last turn of its session, at its deadline, by a kill, or when its task has got no turn. An end and the input that tells
 * the parent are one commit (R1, R24).
 */
export class SpawnEnds {
  readonly #options: SpawnEndsOptions;
  /** Forced ends that are not stored yet. */
  readonly #brought = new Map<string, BroughtEnd>();
  readonly #deadlines = new Map<string, Disposable>();
  /** What sub-agents have said while they wait for something: their result, if nothing comes of that. */
  readonly #said = new Map<string, { readonly result: string; readonly isTainted: boolean }>();
  /** By session: the sub-agents whose results are handed over together, and the results that are held for that. */
  readonly #waits = new Map<string, { readonly ids: Set<string>; readonly held: HeldResult[] }>();
  /** Of those whose end is waited for. */
  readonly #endings = new Map<string, PromiseWithResolvers<void>>();
  #isClosed = false;

  constructor(options: SpawnEndsOptions) {
    this.#options = options;
  }

  /** Arms the deadline of an open sub-agent, instead of an earlier one. */
  watch({ id, deadlineAtMs }: SpawnRecord): void {
    const { clock, runtime } = this.#options;
    this.#deadlines.get(id)?.[Symbol.dispose]();
    const delayMs = Math.min(MAX_TIMER_MS, Math.max(0, deadlineAtMs - clock.now()));
    const timer = clock.schedule(delayMs, () => runtime().inBackground("deadline of a sub-agent", this.#onDeadline(id)));
    this.#deadlines.set(id, timer);
  }

  /** True if a sub-agent has ended, or its end is being stored. */
  hasEnded(spawn: SpawnRecord): boolean {
    const brought = this.#brought.get(spawn.id);
    return !isOpenSpawn(spawn) || (brought !== undefined && !staysOpen(spawn, brought));
  }

  /** Ends no further sub-agent: the next start continues with the open ones. */
  close(): void {
    this.#isClosed = true;
    for (const timer of this.#deadlines.values()) timer[Symbol.dispose]();
  }

  /** Resolves when a sub-agent has ended; at once for one that is gone. */
  async untilEnded(id: string): Promise<void> {
    const spawn = this.#options.book.get(id);
    if (spawn === undefined || !isOpenSpawn(spawn) || spawn.state === "idle") return;
    const ending = this.#endings.get(id) ?? Promise.withResolvers<void>();
    this.#endings.set(id, ending);
    await ending.promise;
  }

  /** Ends a sub-agent and those that it has started. Resolves when that is stored; no-op for one that has ended. */
  async bring(id: string, end: BroughtEnd): Promise<void> {
    const { book, runtime } = this.#options;
    const spawn = book.get(id);
    if (this.#isClosed || spawn === undefined || !isOpenSpawn(spawn) || this.#brought.has(id)) return;
    this.#brought.set(id, end);
    for (const child of book.openOf(spawn.childKey)) await this.bring(child.id, ENDED_WITH_PARENT);
    await runtime().stop(spawn.childKey, end.reason, async () => {
      // The end of its turn may have stored it already.
      if (this.#brought.get(id) === end) await this.settle(id, end);
    });
  }

  /** Ends a sub-agent whose session has no turn left to do so: the message to it got none. */
  async endIdle(id: string, reason: string): Promise<void> {
    const { book, runtime } = this.#options;
    const spawn = book.get(id);
    if (spawn === undefined) return;
    await runtime().behind(spawn.childKey, async () => {
      if (this.#goesOn(spawn)) return;
      const { result } = this.#said.get(id) ?? { result: "" };
      await this.settle(id, result.trim() === "" ? { state: "failed", reason, tells: "turn" } : { state: "done", tells: "turn" });
    });
  }

  /** Ends a sub-agent whose session is being removed. */
  async endRemoved(id: string): Promise<void> {
    this.#brought.set(id, { state: "killed", reason: "its session was removed", tells: "next-turn" });
    await this.settle(id, { state: "killed", tells: "next-turn" });
  }

  /** Ends a sub-agent whose session has no work left for it; no-op for one that has ended. */
  async settle(id: string, fallback: SettledEnd): Promise<void> {
    const { book, store, clock } = this.#options;
    const spawn = book.get(id);
    const brought = this.#brought.get(id);
    if (this.#isClosed || spawn === undefined || !isOpenSpawn(spawn)) return;
    const stays = staysOpen(spawn, brought);
    // There is nothing to report of one that is idle.
    if (stays && spawn.state === "idle") return;
    const { state, reason, tells }: SettledEnd = brought ?? fallback;
    const usage = (await store.readSession(spawn.childKey))?.usage;
    // Without a run in this process it is unknown what its model was given; one that is idle has said it before.
    const { result, isTainted } = this.#said.get(id) ?? { result: "", isTainted: spawn.state !== "idle" };
    const end = this.#endOf(spawn, { state, reason, tells, result, usage, isTainted, stays, nowMs: clock.now() });
    this.onEnded(await store.endSpawn(end));
  }

  /**
   * For the commit of a turn: the end of the sub-agent in whose session it ran, or the input by which it corrects its result, once. Empty while the sub-agent
   * continues: it waits for its own sub-agents, or got another message.
   */
  async ofTurn(turn: TurnRecord, run: SubagentRunEnd): Promise<SubagentTurnEnd> {
    const { book, store, clock } = this.#options;
    const spawn = book.ofChild(turn.sessionKey);
    if (turn.kind !== "subagent" || spawn === undefined || !isOpenSpawn(spawn)) return {};
    const { outcome, lastText, tainted } = run;
    const brought = this.#brought.get(spawn.id);
    const goesOn = this.#goesOn(spawn);
    const text = outcome.type === "done" ? answerText(outcome.message) : "";
    const said = text.trim() === "" ? lastText : text;
    const answer = parseReply(said).type === "silent" ? "" : said;
    if (brought === undefined && outcome.type === "done" && goesOn) {
      this.#said.set(spawn.id, { result: answer, isTainted: tainted });
      return {};
    }
    const checked = outcome.type === "done" && spawn.outputSchema !== undefined ? checkResult(answer, spawn.outputSchema) : undefined;
    const misfit = checked?.type === "misfit" ? checked.problem : undefined;
    if (brought === undefined && misfit !== undefined && !(await this.#isCorrected(spawn, turn)))
      return { followUp: correctionInput(spawn, misfit, clock.now()) };
    const result = checked?.type === "fits" ? checked.json : answer;
    const { state, reason, tells } = brought ?? stateOf(outcome, result, misfit);
    const before = (await store.readSession(spawn.childKey))?.usage;
    const usage = before === undefined ? run.usage : joinUsage(before, run.usage);
    const stays = staysOpen(spawn, brought);
    return { end: this.#endOf(spawn, { state, reason, tells, result, usage, isTainted: tainted, stays, nowMs: clock.now() }) };
  }

  /** An end is stored: tells the parent, and ends what the sub-agent had started, unless it stays open. */
  onEnded(ended: EndedSpawn | undefined): void {
    if (ended === undefined) return;
    const { book, hooks, clock, runtime, sessionCommands, folders, onClosed } = this.#options;
    const { spawn, input } = ended;
    book.put(spawn);
    this.#endings.get(spawn.id)?.resolve();
    this.#endings.delete(spawn.id);
    this.#brought.delete(spawn.id);
    this.#said.delete(spawn.id);
    if (spawn.state === "idle") {
      this.watch(spawn);
      return this.#tell(ended);
    }
    onClosed(spawn);
    // No process outlives the sub-agent that has started it.
    sessionCommands.endSession(spawn.childKey);
    endExternalAgents(spawn.childKey, this.#options);
    this.#deadlines.get(spawn.id)?.[Symbol.dispose]();
    this.#deadlines.delete(spawn.id);
    // Without a turn it has no session, with which its files would be removed.
    if (spawn.startedAtMs === undefined) runtime().inBackground("attachments of a sub-agent", folders.remove(spawn.id));
    hooks.observe("subagent_ended", () => endedPayload(spawn, clock.now()));
    for (const child of book.openOf(spawn.childKey)) runtime().inBackground("end of a sub-agent", this.bring(child.id, ENDED_WITH_PARENT));
    this.#tell(ended);
    const parent = book.ofChild(spawn.parentKey);
    // Such an end begins no turn: nothing else may come for its parent.
    if (parent !== undefined && input?.admission.isEvent === true)
      runtime().inBackground("end of a sub-agent", this.endIdle(parent.id, "the work that it waited for ended"));
  }

  /**
   * Tells the conversation itself what became of a sub-agent, since the one that asked is gone. A repeated call sends nothing again. The end of a sub-agent whose
   * parent is one that has ended is not told: the parent has told its own, and nothing waits for a part of it.
   */
  async tellPlainly(spawn: SpawnRecord): Promise<void> {
    const { store, notices, clock, book } = this.#options;
    const parent = book.ofChild(spawn.parentKey);
    if (parent === undefined || isOpenSpawn(parent)) {
      const text = plainReport(spawn);
      const name = reportName(spawn, isOpenSpawn(spawn) ? (spawn.reports ?? 1) - 1 : spawn.reports);
      await notices.sendToChat(spawn.parentKey, spawn.report.message.origin, { text, identity: ["subagent", name] });
      await notices.addEntry(spawn.parentKey, { level: "info", text, key: `subagent:${name}` });
    }
    await store.announceSpawn(spawn.id, { nowMs: clock.now() });
    const now = book.get(spawn.id);
    if (now?.state === spawn.state) book.put({ ...now, announcedAtMs: clock.now() });
  }

  /** Hands the results of these sub-agents over together, once all of them have ended, with those that are `held` already. */
  hold(sessionKey: string, { ids, held }: { readonly ids: readonly string[]; readonly held: readonly InputRecord[] }): void {
    const before = this.#waits.get(sessionKey)?.held ?? [];
    this.#waits.set(sessionKey, { ids: new Set(ids), held: [...before, ...held.map((input) => ({ input, isRecovered: false }))] });
  }

  /** Holds a result that an earlier process has left waiting, for `handOverKept`. */
  keep(sessionKey: string, input: InputRecord): void {
    const wait = this.#waits.get(sessionKey) ?? { ids: new Set(), held: [] };
    wait.held.push({ input, isRecovered: true });
    this.#waits.set(sessionKey, wait);
  }

  /** Hands the kept results over, each together with the others of its session; those of a session that waits for further ones stay. */
  handOverKept(): void {
    const { inBackground } = this.#options.runtime();
    for (const [sessionKey, { ids }] of this.#waits)
      if (ids.size === 0) inBackground("results of sub-agents", this.#handOverHeld(sessionKey));
  }

  /** True if a turn is the one in which the result is written again. */
  async #isCorrected(spawn: SpawnRecord, turn: TurnRecord): Promise<boolean> {
    const inputs = await readInputs(turn, this.#options.store);
    return inputs.some(({ message }) => message.eventId === correctionEvent(spawn));
  }

  #tell({ spawn, input }: EndedSpawn): void {
    const { runtime } = this.#options;
    if (spawn.announcedAtMs === undefined) runtime().inBackground("result of a sub-agent", this.tellPlainly(spawn));
    // Others may be held for it, also where it is not told to its parent.
    runtime().inBackground("results of sub-agents", this.#handOver(spawn, input));
  }

  async #onDeadline(id: string): Promise<void> {
    const { book, clock } = this.#options;
    const spawn = book.get(id);
    if (this.#isClosed || spawn === undefined || !isOpenSpawn(spawn)) return;
    if (clock.now() < spawn.deadlineAtMs) return this.watch(spawn);
    if (spawn.state === "idle") return this.#endUnused(spawn);
    await this.bring(id, { state: "timeout", reason: "it has taken longer than its deadline allows", tells: "turn" });
  }

  /** Ends an idle sub-agent, unless something was said in its session meanwhile. */
  async #endUnused(spawn: SpawnRecord): Promise<void> {
    const { book, store, clock, runtime } = this.#options;
    const { id, childKey } = spawn;
    const usedAtMs = (await store.readSession(childKey))?.updatedAtMs ?? 0;
    const deadlineAtMs = usedAtMs + this.#idleMs;
    if (runtime().isBusy(childKey) || deadlineAtMs > clock.now()) {
      const later = { ...spawn, deadlineAtMs: Math.max(deadlineAtMs, clock.now() + MINUTE_MS) };
      if (book.get(id)?.state === "idle") book.put(later);
      return this.watch(book.get(id) ?? later);
    }
    await runtime().behind(childKey, async () => {
      if (book.get(id)?.state !== "idle" || runtime().waitingInputs(childKey).length > 0) return;
      const reason = `nothing was said to it for ${plural(Math.round(this.#idleMs / HOUR_MS), "hour")}`;
      this.#brought.set(id, { state: "done", reason, tells: "next-turn" });
      await this.settle(id, { state: "done", tells: "next-turn" });
    });
  }

  /** How long a sub-agent stays open with nothing to do. */
  get #idleMs(): number {
    const { idleHours } = this.#options.running.config.session.threadBindings;
    return idleHours === 0 ? Number.MAX_SAFE_INTEGER / 2 : idleHours * HOUR_MS;
  }

  /** True while its own sub-agents or commands work, or something that was said to it waits. A persistent one reports before it hears that. */
  #goesOn({ childKey, isPersistent }: SpawnRecord): boolean {
    const { book, runtime, sessionCommands } = this.#options;
    if (sessionCommands.hasRunning(childKey) || book.workingOf(childKey).length > 0) return true;
    if (isPersistent === true) return false;
    return runtime()
      .waitingInputs(childKey)
      .some(({ admission }) => admission.kind === "subagent");
  }

  async #handOver({ id, parentKey }: SpawnRecord, input: InputRecord | undefined): Promise<void> {
    const { runtime } = this.#options;
    const wait = this.#waits.get(parentKey);
    if (wait?.ids.delete(id) !== true) {
      if (input !== undefined) await runtime().requeue(input);
      return;
    }
    if (input !== undefined) wait.held.push({ input, isRecovered: false });
    if (wait.ids.size === 0) await this.#handOverHeld(parentKey);
  }

  async #handOverHeld(sessionKey: string): Promise<void> {
    const held = this.#waits.get(sessionKey)?.held ?? [];
    this.#waits.delete(sessionKey);
    const { behind, recover, requeue } = this.#options.runtime();
    await behind(sessionKey, async () => {
      for (const { input, isRecovered } of held) await (isRecovered ? recover(input) : requeue(input));
    });
  }

  #endOf(
    spawn: SpawnRecord,
    end: {
      readonly state: SpawnEndState;
      readonly reason: string | undefined;
      readonly tells: Telling;
      readonly result: string;
      readonly usage: UsageTotals | undefined;
      readonly isTainted: boolean;
      readonly stays: boolean;
      readonly nowMs: number;
    },
  ): SpawnEnd {
    const { running } = this.#options;
    const { state, reason, result, usage, stays, nowMs } = end;
    // The end of one that has reported everything needs no turn.
    const tells = end.tells === "turn" && spawn.state === "idle" ? "next-turn" : end.tells;
    // What an external agent has read is not known.
    const isTainted = end.isTainted || spawn.child.tainted === true || externalAgentOf(spawn.child.job?.model) !== undefined;
    const keptMs = spawn.cleanup === "delete" ? 0 : running.agent(spawn.agentId).config.subagents.archiveAfterMinutes * MINUTE_MS;
    const facts = {
      state,
      reason,
      result,
      durationMs: nowMs - spawn.createdAtMs,
      tokens: usage?.total ?? 0,
      costUsd: usage?.costUsd,
      isTainted,
      stays,
    };
    const report = tells === "never" ? undefined : reportOf(spawn, { ...facts, nowMs, isEvent: tells === "next-turn" });
    return {
      id: spawn.id,
      state,
      endedAtMs: nowMs,
      expiresAtMs: nowMs + keptMs,
      ...withoutUndefined({ reason, report, idleUntilMs: stays ? nowMs + this.#idleMs : undefined }),
      ...(result === "" ? {} : { result }),
    };
  }
}

/** True if a sub-agent stays open after the end of a run: only a kill and its idle limit end a persistent one. */
function staysOpen({ isPersistent }: Pick<SpawnRecord, "isPersistent">, brought: BroughtEnd | undefined): boolean {
  return isPersistent === true && brought?.state !== "killed" && brought?.state !== "done";
}

/** One report of a sub-agent, by the number of those before it. */
function reportName({ id }: Pick<SpawnRecord, "id">, earlier = 0): string {
  return earlier === 0 ? id : `${id}:${earlier}`;
}

/** The input that tells the parent. */
function reportOf(
  spawn: SpawnRecord,
  { nowMs, isEvent, ...end }: Parameters<typeof reportText>[1] & { readonly nowMs: number; readonly isEvent: boolean },
): OwnInput {
  const { message, admission } = spawn.report;
  const { text, untrusted } = reportText(spawn, end, { isNested: isSubagentKey(spawn.parentKey), isEvent });
  const eventId = `subagent-end:${reportName(spawn, spawn.reports)}`;
  return {
    message: { ...message, eventId, text, timestampMs: nowMs, ...(untrusted.length === 0 ? {} : { untrusted }) },
    admission: {
      ...admission,
      completion: { id: spawn.id, sessionKey: spawn.childKey, state: end.state },
      ...(isEvent ? { isEvent: true } : {}),
      ...(end.isTainted ? { tainted: true } : {}),
    },
  };
}

/** How a run that ended by itself ends its sub-agent. One that says nothing, or nothing of the form that was asked for, has not done what it was asked. */
function stateOf(
  outcome: RunOutcome,
  result: string,
  misfit: string | undefined,
): { readonly state: SpawnEndState; readonly reason: string | undefined; readonly tells: Telling } {
  switch (outcome.type) {
    case "done":
      if (result.trim() === "") return { state: "failed", reason: "it ended without a result", tells: "turn" };
      if (misfit !== undefined) return { state: "failed", reason: `its result does not fit outputSchema: ${misfit}`, tells: "turn" };
      return { state: "done", reason: undefined, tells: "turn" };
    case "aborted":
      return { state: "killed", reason: outcome.reason, tells: "turn" };
    case "failed":
      return { state: outcome.code === "timeout" ? "timeout" : "failed", reason: outcome.message, tells: "turn" };
  }
}
