import { joinUsage, plural } from "@factotum/agent-contract";
import type { Clock, ExternalAgents, Logger, RunOutcome, UsageTotals } from "@factotum/agent-contract";
import { isOpenSpawn } from "@factotum/store";
import type { EndedSpawn, OwnInput, SpawnEnd, SpawnRecord, Store, TurnRecord } from "@factotum/store";
import { endExternalAgents } from "../agents/external-agent.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import type { SessionCommands } from "../background-commands/session-commands.ts";
import { answerText } from "../delivery/chat-entries.ts";
import { parseReply } from "../delivery/parse-reply.ts";
import type { HookRunner } from "../hooks/hook-runner.ts";
import type { Notices } from "../notices/notices.ts";
import { readInputs } from "../queue/asking-turn.ts";
import type { AttachmentFolders } from "./attachment-folders.ts";
import { checkResult } from "./check-result.ts";
import { HeldResults } from "./held-results.ts";
import { endedPayload } from "./hook-payloads.ts";
import { PartialResults } from "./partial-results.ts";
import { endingOf, isFirstReport, planEnd, reportName, staysOpen } from "./plan-end.ts";
import type { BroughtEnd, SpawnEnding } from "./plan-end.ts";
import type { SpawnBook } from "./spawn-book.ts";
import { correctionEvent, correctionInput } from "./steering-input.ts";
import { plainReport } from "./subagent-report.ts";
import type { SubagentRuntime } from "./subagent-runtime.ts";
import { usedBy } from "./subagent-usage.ts";
import { isResult } from "./tell-unheard.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Timers are armed for a day at most: a longer delay is more than some clocks can count. */
const MAX_TIMER_MS = 24 * HOUR_MS;

const ENDED_WITH_PARENT: BroughtEnd = { state: "killed", reason: "its parent sub-agent ended", tells: "never" };

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
  /** Those that are handed over together. */
  readonly results: HeldResults;
  readonly #options: SpawnEndsOptions;
  /** Forced ends that are not stored yet. */
  readonly #brought = new Map<string, BroughtEnd>();
  readonly #deadlines = new Map<string, Disposable>();
  /** What sub-agents have said while they wait for something: their result, if nothing comes of that. */
  readonly #said = new Map<string, { readonly result: string; readonly isTainted: boolean }>();
  readonly #partial = new PartialResults();
  /** Of those whose end is waited for. */
  readonly #endings = new Map<string, PromiseWithResolvers<void>>();
  #isClosed = false;

  constructor(options: SpawnEndsOptions) {
    this.#options = options;
    this.results = new HeldResults(options.runtime);
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

  /** Resolves when a sub-agent, or the run of one that stays open, has ended; at once for one that is gone. */
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
    this.results.stop(spawn.childKey);
    await this.#keepUnheard(spawn);
    for (const child of book.openOf(spawn.childKey)) await this.bring(child.id, ENDED_WITH_PARENT);
    await runtime().stop(spawn.childKey, end.reason, async () => {
      // The end of its turn may have stored it already.
      if (this.#brought.get(id) === end) await this.settle(id, end);
    });
  }

  /** Results for which a sub-agent gets no turn any longer: its end reports them. */
  async #keepUnheard({ childKey }: SpawnRecord): Promise<void> {
    const { store, runtime } = this.#options;
    const unheard = [...this.results.of(childKey), ...runtime().waitingInputs(childKey)].filter(isResult);
    // What is kept in memory of a reported end has no result.
    const rows = unheard.length === 0 ? [] : await store.listSpawns();
    for (const { admission } of unheard) {
      const row = rows.find(({ id }) => id === admission.completion?.id);
      if (row?.result !== undefined) this.#partial.add(row, { result: row.result, isTainted: admission.tainted === true });
    }
  }

  /** Ends a sub-agent whose session has no turn left to do so: the message to it got none. */
  async endWithoutTurn(id: string, reason: string): Promise<void> {
    const { book, runtime } = this.#options;
    const spawn = book.get(id);
    if (spawn === undefined) return;
    await runtime().behind(spawn.childKey, async () => {
      if (this.#hasWork(spawn)) return;
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
  async settle(id: string, fallback: SpawnEnding): Promise<void> {
    const { book, store, clock } = this.#options;
    const spawn = book.get(id);
    const brought = this.#brought.get(id);
    if (this.#isClosed || spawn === undefined || !isOpenSpawn(spawn)) return;
    const stays = staysOpen(spawn, brought);
    // There is nothing to report of one that is idle.
    if (stays && spawn.state === "idle") return;
    const { state, reason, tells }: SpawnEnding = brought ?? fallback;
    const usage = usedBy(await store.readSession(spawn.childKey));
    // Without a run in this process it is unknown what its model was given, unless none has begun; one that is idle has said it before.
    const { result, isTainted } = this.#said.get(id) ?? { result: "", isTainted: spawn.state === "running" };
    const end = this.#planned(spawn, { state, reason, tells, result, usage, isTainted, stays, nowMs: clock.now() });
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
    const hasWork = this.#hasWork(spawn);
    const text = outcome.type === "done" ? answerText(outcome.message) : "";
    const said = text.trim() === "" ? lastText : text;
    const answer = parseReply(said).type === "silent" ? "" : said;
    if (brought === undefined && outcome.type === "done" && hasWork) {
      this.#said.set(spawn.id, { result: answer, isTainted: tainted });
      return {};
    }
    const checked = outcome.type === "done" && spawn.outputSchema !== undefined ? checkResult(answer, spawn.outputSchema) : undefined;
    const misfit = checked?.type === "misfit" ? checked.problem : undefined;
    if (brought === undefined && misfit !== undefined && !(await this.#isCorrected(spawn, turn)))
      return { followUp: correctionInput(spawn, misfit, clock.now()) };
    const result = checked?.type === "fits" ? checked.json : answer;
    const { state, reason, tells } = brought ?? endingOf(outcome, result, misfit);
    const before = usedBy(await store.readSession(spawn.childKey));
    const usage = before === undefined ? run.usage : joinUsage(before, run.usage);
    const stays = staysOpen(spawn, brought);
    return { end: this.#planned(spawn, { state, reason, tells, result, usage, isTainted: tainted, stays, nowMs: clock.now() }) };
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
    this.#partial.forget(spawn);
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
      runtime().inBackground("end of a sub-agent", this.endWithoutTurn(parent.id, "the work that it waited for ended"));
  }

  /**
   * Tells the conversation itself what became of a sub-agent, since the one that asked is gone. A repeated call sends nothing again. The end of a sub-agent whose
   * parent is one that has ended is not told: the parent has told its own, and nothing waits for a part of it.
   */
  async tellPlainly(spawn: SpawnRecord): Promise<void> {
    const { store, notices, clock, book } = this.#options;
    const parent = book.ofChild(spawn.parentKey);
    if (parent === undefined || isOpenSpawn(parent)) {
      const report = plainReport(spawn);
      const earlier = isOpenSpawn(spawn) ? (spawn.reports ?? 1) - 1 : spawn.reports;
      const name = reportName(spawn, earlier);
      const { message, admission } = spawn.report;
      // What another session has asked for is not the chat's. Whether the result is text of others is not known here, so it counts as such (R23).
      if (admission.agentToAgent?.step !== "message" || !isFirstReport(earlier))
        await notices.sendToChat(spawn.parentKey, message.origin, { text: report.text, identity: ["subagent", name], purpose: "reply" });
      await notices.addEntry(spawn.parentKey, { level: "info", ...report, key: `subagent:${name}` });
    }
    await store.announceSpawn(spawn.id, { nowMs: clock.now() });
    const now = book.get(spawn.id);
    if (now?.state === spawn.state) book.put({ ...now, announcedAtMs: clock.now() });
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
    runtime().inBackground("results of sub-agents", this.results.handOver(spawn, input));
  }

  async #onDeadline(id: string): Promise<void> {
    const { book, clock } = this.#options;
    const spawn = book.get(id);
    if (this.#isClosed || spawn === undefined || !isOpenSpawn(spawn)) return;
    if (clock.now() < spawn.deadlineAtMs) return this.watch(spawn);
    if (spawn.state === "idle") return this.#endIdle(spawn);
    await this.bring(id, { state: "timeout", reason: "it has taken longer than its deadline allows", tells: "turn" });
  }

  /** Ends an idle sub-agent, unless something was said in its session meanwhile. */
  async #endIdle(spawn: SpawnRecord): Promise<void> {
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

  #planned(spawn: SpawnRecord, own: Parameters<typeof planEnd>[1]): SpawnEnd {
    const { book, running } = this.#options;
    const end = { ...own, ...this.#partial.with(spawn, own) };
    const parent = book.ofChild(spawn.parentKey);
    if (end.tells === "never" && parent !== undefined && isOpenSpawn(parent)) this.#partial.add(spawn, end);
    const keptMs = spawn.cleanup === "delete" ? 0 : running.agent(spawn.agentId).config.subagents.archiveAfterMinutes * MINUTE_MS;
    return planEnd(spawn, end, { keptMs, idleMs: this.#idleMs });
  }

  /** How long a sub-agent stays open with nothing to do. */
  get #idleMs(): number {
    const { idleHours } = this.#options.running.config.session.threadBindings;
    return idleHours === 0 ? Number.MAX_SAFE_INTEGER / 2 : idleHours * HOUR_MS;
  }

  /** True while its own sub-agents or commands work, or something that was said to it waits. A persistent one reports before it hears that. */
  #hasWork({ childKey, isPersistent }: SpawnRecord): boolean {
    const { book, runtime, sessionCommands } = this.#options;
    if (sessionCommands.hasRunning(childKey, "subagent") || book.ownWorkOf(childKey).length > 0) return true;
    if (isPersistent === true) return false;
    return runtime()
      .waitingInputs(childKey)
      .some(({ admission }) => admission.kind === "subagent");
  }
}
