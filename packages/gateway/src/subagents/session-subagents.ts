import { withoutUndefined } from "@factotum/agent-contract";
import type {
  Clock,
  ExternalAgents,
  Logger,
  Random,
  SpawnOutcome,
  SpawnRequest,
  ToolCaller,
  SubagentChange,
  SubagentLog,
  Subagents,
  SubagentView,
} from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";
import { isOpenSpawn, isWorkingSpawn } from "@factotum/store";
import type { AgentToAgentStep, EndedSpawn, InputRecord, NewSpawn, SpawnRecord, Store, TranscriptBody, TurnRecord } from "@factotum/store";
import { confinementOf } from "../agents/run-place.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import type { SessionCommands } from "../background-commands/session-commands.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { HookRunner } from "../hooks/hook-runner.ts";
import type { Notices } from "../notices/notices.ts";
import type { InputWatchers } from "../queue/run-report.ts";
import { AttachmentFolders } from "./attachment-folders.ts";
import type { SubagentBounds } from "./bind-to-subagent.ts";
import { spawnedPayload } from "./hook-payloads.ts";
import type { BroughtEnd } from "./plan-end.ts";
import { planSpawn } from "./plan-spawn.ts";
import { SpawnInputs } from "./spawn-inputs.ts";
import { SpawnBook } from "./spawn-book.ts";
import { SpawnEnds } from "./spawn-ends.ts";
import type { SubagentRunEnd, SubagentTurnEnd } from "./spawn-ends.ts";
import type { SteeringWords } from "./steering-refusal.ts";
import { SubagentControl } from "./subagent-control.ts";
import type { SubagentRuntime } from "./subagent-runtime.ts";
import { isResult } from "./tell-unheard.ts";
import { UnstoredSpawns } from "./unstored-spawns.ts";

const STOPPED: BroughtEnd = { state: "killed", reason: "the work of its session was stopped", tells: "next-turn" };
const KILLED = "its parent stopped it";

/** Told of sub-agents that start and end. */
export interface SubagentObserver {
  /** Its first run has begun. */
  readonly onOpened: (spawn: SpawnRecord) => void;
  readonly onClosed: (spawn: SpawnRecord) => void;
  /** The thread that shows what is said in a session. */
  readonly threadOf: (sessionKey: string) => Promise<Origin | undefined>;
}

/** What sub-agents need of the gateway. */
export interface SessionSubagentsParts {
  readonly store: Store;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly notices: Notices;
  readonly watchers: InputWatchers;
  readonly sessionCommands: Pick<SessionCommands, "endSession" | "hasRunning">;
  readonly externalAgents: Pick<ExternalAgents, "close">;
  readonly hooks: Pick<HookRunner, "observe">;
  /** The state directory. */
  readonly home: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

interface Connected {
  readonly parts: SessionSubagentsParts;
  readonly folders: AttachmentFolders;
  readonly ends: SpawnEnds;
  readonly control: SubagentControl;
  readonly inputs: SpawnInputs;
}

/**
 * The sub-agents of all sessions. A task is accepted in memory, and becomes durable with the result of the call that hands it out: its row, its input and that
 * result are one commit, so that a crash neither loses nor repeats it. Tools exist before the gateway, so the parts are connected later.
 */
export class SessionSubagents implements Subagents {
  readonly #book = new SpawnBook();
  readonly #unstored = new UnstoredSpawns();
  #connected: Connected | undefined;
  #runtime: SubagentRuntime | undefined;
  #observer: SubagentObserver = { onOpened: () => undefined, onClosed: () => undefined, threadOf: async () => undefined };

  /** As they are stored. */
  get book(): SpawnBook {
    return this.#book;
  }

  /** Connects the parts, once. */
  connect(parts: SessionSubagentsParts): this {
    const folders = new AttachmentFolders(parts);
    const shared = { ...parts, book: this.#book, runtime: () => this.#connectedRuntime };
    const ends = new SpawnEnds({ ...shared, folders, onClosed: (spawn) => this.#observer.onClosed(spawn) });
    const inputs = new SpawnInputs({ ...shared, ends, onOpened: (spawn) => this.#observer.onOpened(spawn) });
    const control = new SubagentControl({ ...shared, ends, onTold: (spawn, input) => inputs.told(spawn, input) });
    this.#connected = { parts, folders, ends, control, inputs };
    return this;
  }

  /** Sets the observer, once. */
  observe(observer: SubagentObserver): void {
    this.#observer = observer;
  }

  /** Connects the layers above, once. */
  runWith(runtime: SubagentRuntime): void {
    this.#runtime = runtime;
  }

  /** Reads the stored ones, and removes the files of those that an earlier process did not store. Call it before turns resume. */
  async recall(): Promise<void> {
    const { parts, folders, ends } = this.#ready;
    for (const spawn of await parts.store.listSpawns()) this.#book.put(spawn);
    await folders.sweep((id) => this.#book.get(id) !== undefined);
    const awaited = this.#book.list().filter((spawn) => isWorkingSpawn(spawn) && spawn.isAwaited === true);
    for (const [parentKey, spawns] of Map.groupBy(awaited, (spawn) => spawn.parentKey))
      ends.results.hold(parentKey, { ids: spawns.map(({ id }) => id), held: [] });
  }

  /** Keeps an input that an earlier process has left waiting if it is a result, for `recover`: a session gets its results together. False for any other input. */
  keep(input: InputRecord): boolean {
    const { completion, sessionKey } = input.admission;
    if (completion === undefined || sessionKey === undefined) return false;
    this.#ready.ends.results.keep(sessionKey, input);
    return true;
  }

  /**
   * Resumes what an earlier process left unfinished: results, deadlines, ends that were not reported, tasks that got no turn. Call it when inputs are queued
   * again.
   */
  async recover(): Promise<void> {
    this.#ready.ends.results.handOverKept();
    for (const spawn of this.#book.list()) {
      if (isOpenSpawn(spawn)) await this.#recoverOpen(spawn);
      else if (spawn.announcedAtMs === undefined) await this.#ready.ends.tellPlainly(spawn);
    }
  }

  close(): void {
    this.#connected?.ends.close();
  }

  async spawn(request: SpawnRequest, caller: ToolCaller & { readonly callId: string }): Promise<SpawnOutcome> {
    const { parts, folders } = this.#ready;
    const planning = { ...parts, book: this.#book, unstored: (key: string) => this.#unstored.of(key).length };
    const planned = await planSpawn(request, caller, planning);
    if ("refusal" in planned) return { type: "refused", message: planned.refusal };
    const { workspace, spawn, input } = planned;
    const { attachments = [] } = request;
    const problem = attachments.length === 0 ? undefined : await folders.write(spawn.id, { workspace, files: attachments });
    if (problem !== undefined) return { type: "refused", message: problem };
    this.#unstored.add(caller.run.runId, { spawn, input });
    return { type: "accepted", runId: spawn.id, sessionKey: spawn.childKey };
  }

  async wait({ run: { sessionKey } }: ToolCaller): Promise<number> {
    const openNow = (): readonly SpawnRecord[] => [
      ...this.#book.workingOf(sessionKey),
      ...this.#unstored.of(sessionKey).map(({ spawn }) => spawn),
    ];
    await this.#await(sessionKey, openNow());
    // Some may have ended meanwhile.
    const open = openNow();
    // Results that arrive meanwhile wait behind this turn.
    const ended = this.#connectedRuntime.waitingInputs(sessionKey).filter(isResult);
    const held = this.#ready.ends.results.of(sessionKey).length;
    if (open.length > 0) {
      const withdrawn = ended.filter(({ id }) => this.#connectedRuntime.withdraw(sessionKey, id));
      const ids = open.map(({ id }) => id);
      this.#ready.ends.results.hold(sessionKey, { ids, held: withdrawn });
    }
    return open.length + ended.length + held;
  }

  async list({ run: { sessionKey } }: ToolCaller): Promise<readonly SubagentView[]> {
    return this.listOf(sessionKey);
  }

  async kill(named: string, { run: { sessionKey, owner } }: ToolCaller): Promise<SubagentChange> {
    return this.killOf(sessionKey, named, { state: "killed", reason: KILLED, tells: "next-turn" }, { owner });
  }

  async steer(named: string, text: string, { run, tainted }: ToolCaller): Promise<SubagentChange> {
    const { sessionKey, owner } = run;
    return this.steerOf(sessionKey, named, { text, tainted, owner, confinement: confinementOf(run) });
  }

  async log(named: string, { run: { sessionKey } }: ToolCaller): Promise<SubagentLog> {
    return this.logOf(sessionKey, named);
  }

  /** The sub-agents of a session, newest first. */
  async listOf(sessionKey: string): Promise<readonly SubagentView[]> {
    return this.#ready.control.list(sessionKey);
  }

  /** The thread of a sub-agent, where its answers are shown, too. */
  async threadOf(sessionKey: string): Promise<Origin | undefined> {
    return this.#observer.threadOf(sessionKey);
  }

  /** The work of a session is stopped: takes results that wait for others, and would begin a turn of it. They stay stored. */
  takeHeld(sessionKey: string): readonly InputRecord[] {
    return this.#ready.ends.results.take(sessionKey);
  }

  /** Ends the running ones of a session, and all that they have started; resolves with their number when that is stored. */
  async endSession(sessionKey: string): Promise<number> {
    const open = this.#book.openOf(sessionKey);
    await Promise.all(open.map(async ({ id }) => this.#ready.ends.bring(id, STOPPED)));
    return open.length;
  }

  /** Ends one, or all. What does not come from the owner ends none of the owner's. */
  async killOf(sessionKey: string, named: string, end: BroughtEnd, by: { readonly owner: boolean }): Promise<SubagentChange> {
    return this.#ready.control.kill(sessionKey, named, end, by);
  }

  /** Tells one something: during its run, or before it begins. It is told with the authority of the sub-agent, so only who has that may do so. */
  async steerOf(sessionKey: string, named: string, words: SteeringWords): Promise<SubagentChange> {
    return this.#ready.control.steer(sessionKey, named, words);
  }

  /** The newest messages of one. */
  async logOf(sessionKey: string, named: string): Promise<SubagentLog> {
    return this.#ready.control.log(sessionKey, named);
  }

  /** A turn begins, begins again, or has ended: what it had accepted without storing it has not happened. */
  forget(turnId: string): void {
    const { folders } = this.#ready;
    for (const { spawn } of this.#unstored.drop(turnId))
      this.#connectedRuntime.inBackground("attachments of a sub-agent", folders.remove(spawn.id));
  }

  /** The accepted sub-agents whose calls have their result among these entries of a turn, to be stored with them. */
  take(turnId: string, entries: readonly TranscriptBody[]): readonly NewSpawn[] {
    return this.#unstored.take(turnId, entries);
  }

  /** Sub-agents are stored: their inputs are queued. `isStopped`: their turn was stopped, and they end with it. */
  async onStarted(
    started: readonly NewSpawn[],
    inputs: readonly InputRecord[],
    { isStopped = false }: { readonly isStopped?: boolean } = {},
  ): Promise<void> {
    const { hooks } = this.#ready.parts;
    for (const [index, { spawn }] of started.entries()) {
      this.#book.put(spawn);
      hooks.observe("subagent_spawned", () => spawnedPayload(spawn));
      this.#ready.ends.watch(spawn);
      const input = inputs[index];
      if (input === undefined) continue;
      this.#ready.inputs.watch(spawn, input.id);
      await this.#connectedRuntime.requeue(input);
      if (isStopped) this.#connectedRuntime.inBackground("end of a sub-agent", this.#ready.ends.bring(spawn.id, STOPPED));
    }
  }

  /** What the end of a turn means for the sub-agent of its session, for the commit of that turn. */
  async endOfTurn(turn: TurnRecord, run: SubagentRunEnd): Promise<SubagentTurnEnd> {
    const ended = await this.#ready.ends.ofTurn(turn, run);
    const spawn = this.#book.ofChild(turn.sessionKey);
    // What waits may get no turn: the report of a command that its model knows already.
    if (spawn !== undefined && ended.end === undefined)
      for (const { id } of this.#ready.inputs.waitingFor(spawn)) this.#ready.inputs.watch(spawn, id);
    return ended;
  }

  /** Queues a stored input with which a sub-agent continues. One that was accepted before has had its turn. */
  async onFollowUp(input: InputRecord): Promise<void> {
    const spawn = this.#book.ofChild(input.admission.sessionKey ?? "");
    if (spawn === undefined) return;
    if (input.state.type !== "waiting") return this.#ready.ends.endWithoutTurn(spawn.id, "it was asked for its result before");
    this.#ready.inputs.watch(spawn, input.id);
    await this.#connectedRuntime.requeue(input);
  }

  /** Call it when an end is stored. */
  onEnded(ended: EndedSpawn | undefined): void {
    this.#ready.ends.onEnded(ended);
  }

  /** The sub-agents that a session has started in turns of one step of an exchange, and whose results it answers there. */
  ofStep(sessionKey: string, step: Pick<AgentToAgentStep, "exchangeId" | "step" | "turn">): readonly SpawnRecord[] {
    return this.#book.ofParent(sessionKey).filter(({ report }) => {
      const own = report.admission.agentToAgent;
      return own?.exchangeId === step.exchangeId && own.step === step.step && own.turn === step.turn;
    });
  }

  /** Resolves when a sub-agent has ended, and that is stored. */
  async untilEnded(id: string): Promise<void> {
    await this.#ready.ends.untilEnded(id);
  }

  /** The sub-agent whose session this is. */
  ofSession(sessionKey: string): SpawnRecord | undefined {
    return this.#book.ofChild(sessionKey);
  }

  /** True for the session of a sub-agent that is open. */
  isOpen(sessionKey: string): boolean {
    const spawn = this.#book.ofChild(sessionKey);
    return spawn !== undefined && !this.#ready.ends.hasEnded(spawn);
  }

  /** True for the session of a sub-agent that has ended. */
  hasEnded(sessionKey: string): boolean {
    const spawn = this.#book.ofChild(sessionKey);
    return spawn !== undefined && this.#ready.ends.hasEnded(spawn);
  }

  /** What a message of a person, or of another session, to an open sub-agent is bound to; `undefined` for other sessions. */
  boundsOf(sessionKey: string): SubagentBounds | undefined {
    const spawn = this.#book.ofChild(sessionKey);
    if (spawn === undefined || this.#ready.ends.hasEnded(spawn)) return undefined;
    const { spawn: subagent, job, tree, extra, tainted } = spawn.child;
    const timeoutMs = spawn.runTimeoutMs;
    const bounds = job === undefined ? undefined : { ...job, ...withoutUndefined({ timeoutMs }) };
    return withoutUndefined({ subagent, tree, extra, tainted, job: bounds });
  }

  /** A session is being removed: its sub-agent, which has no run any longer, ends. Call it in the lane of the session. */
  async endRemoved(sessionKey: string): Promise<void> {
    const spawn = this.#book.ofChild(sessionKey);
    if (spawn === undefined || !isOpenSpawn(spawn)) return;
    await this.#ready.ends.endRemoved(spawn.id);
  }

  /** A session was removed. */
  async removed(sessionKey: string): Promise<void> {
    const spawn = this.#book.ofChild(sessionKey);
    this.#book.removeChild(sessionKey);
    if (spawn !== undefined) await this.#ready.folders.remove(spawn.id);
  }

  get #ready(): Connected {
    if (this.#connected === undefined) throw new Error("sub-agents are not connected yet");
    return this.#connected;
  }

  get #connectedRuntime(): SubagentRuntime {
    if (this.#runtime === undefined) throw new Error("the runtime of sub-agents is not connected yet");
    return this.#runtime;
  }

  /** Remembers that a session waits for these, also after a restart. */
  async #await(sessionKey: string, open: readonly SpawnRecord[]): Promise<void> {
    this.#unstored.markAwaited(sessionKey);
    if (open.length > 0) await this.#ready.parts.store.awaitSpawns(open.map(({ id }) => id));
    for (const { id } of open) {
      const spawn = this.#book.get(id);
      if (spawn !== undefined && isOpenSpawn(spawn)) this.#book.put({ ...spawn, isAwaited: true });
    }
  }

  async #recoverOpen(spawn: SpawnRecord): Promise<void> {
    const { isBusy } = this.#connectedRuntime;
    const waiting = this.#ready.inputs.waitingFor(spawn);
    this.#ready.ends.watch(spawn);
    for (const { id } of waiting) this.#ready.inputs.watch(spawn, id);
    if (spawn.state === "idle") {
      if (waiting.length > 0) this.#ready.inputs.begin(spawn.id);
      if (spawn.announcedAtMs === undefined) await this.#ready.ends.tellPlainly(spawn);
      return;
    }
    if (isBusy(spawn.childKey) || this.#book.ownWorkOf(spawn.childKey).length > 0) return;
    // Its work ended with the process, before that was known to be its end.
    await this.#ready.ends.settle(spawn.id, { state: "lost", reason: "the gateway stopped before its end was known", tells: "turn" });
  }
}
