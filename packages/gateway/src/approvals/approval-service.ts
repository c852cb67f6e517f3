import { EventEmitter } from "node:events";
import type { AgentTool, Clock, Logger, Random, RunFacts, ToolCall } from "@factotum/agent-contract";
import type { ToolDecision } from "@factotum/agent-core";
import { StoreError } from "@factotum/store";
import type { ApprovalDecision, ApprovalRecord, ApprovalStore, InboxStore, SessionStore, TurnRecord } from "@factotum/store";
import { runsInSandbox, traitsOf } from "../access/tool-gate.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { createShortCode, parseShortCode } from "../kernel/short-code.ts";
import { LaneShutdown } from "../kernel/lane-abort.ts";
import { SessionRequestError } from "../kernel/session-request-error.ts";
import type { Notices } from "../notices/notices.ts";
import type { InputWatchers } from "../queue/run-report.ts";
import type { RunDeadline } from "../queue/run-deadline.ts";
import type { TurnQueue } from "../queue/turn-queue.ts";
import { agentSessionKey } from "../routing/session-key.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import { isOwnerChat } from "../preparation/owner-chat.ts";
import { isAllowedCommand } from "./allowed-command.ts";
import { bindingOf } from "./call-binding.ts";
import { ASKED_ELSEWHERE, requestCard, requestText } from "./approval-texts.ts";

const ID_LENGTH = 6;
/** Two equal ids among those that are stored are rare. */
const MAX_IDS = 5;
const DEFAULT_MINUTES = 30;

/** How a wait for a decision ended. `parked`: a message came in first. `over`: the run ended. */
type Answer = ApprovalDecision | "parked" | "expired" | "over";

/** The rules' answer about a call: it may run, or only with the owner's word. */
export type RuleDecision = { readonly type: "allow" } | { readonly type: "ask"; readonly reason: string };

/** The run that makes a call. */
export interface AskingRun {
  readonly turn: TurnRecord;
  readonly facts: RunFacts;
  /** All inputs of the run so far. */
  readonly inputIds: readonly string[];
  readonly signal: AbortSignal;
  readonly deadline: RunDeadline;
  /** Commits what the run has so far. The call must be stored before anybody is asked: after a restart it is asked about again. */
  readonly commit: () => Promise<void>;
}

/** Dependencies of approvals. */
export interface ApprovalServiceOptions {
  readonly store: ApprovalStore & InboxStore & SessionStore;
  readonly running: RunningConfig;
  readonly queue: TurnQueue;
  readonly notices: Notices;
  readonly watchers: InputWatchers;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * Asks the owner about tool calls and applies the decisions (R21, R23). A decision counts for calls with the same binding alone: the same command, folder,
 * variables and programs. A waiting call is stored, so it waits on after a restart, and never starts without a decision.
 */
export class ApprovalService {
  readonly #options: ApprovalServiceOptions;
  readonly #events = new EventEmitter<{ "waiting-change": []; "allowed-late": [ApprovalRecord] }>();
  /** Runs that wait for a decision, by its id. */
  readonly #waiting = new Map<string, { readonly sessionKey: string; readonly answer: (answer: Answer) => void }>();

  constructor(options: ApprovalServiceOptions) {
    this.#options = options;
  }

  /** Calls the listener when calls wait or do not wait any more. */
  onWaitingChange(listener: () => void): Disposable {
    this.#events.on("waiting-change", listener);
    return { [Symbol.dispose]: () => void this.#events.off("waiting-change", listener) };
  }

  /** Calls the listener with each call that is allowed after its turn went on without it. */
  onAllowedLate(listener: (approval: ApprovalRecord) => void): Disposable {
    this.#events.on("allowed-late", listener);
    return { [Symbol.dispose]: () => void this.#events.off("allowed-late", listener) };
  }

  /** Decides whether a call runs, and waits for the owner if only the owner can decide that. */
  async check(call: ToolCall, tool: AgentTool, rules: RuleDecision, run: AskingRun): Promise<ToolDecision> {
    const { mode } = this.#options.running.config.tools.exec;
    const isFree = traitsOf(call, tool).effect !== "execute" || mode === "full" || runsInSandbox(call, tool, run.facts);
    if (rules.type === "allow" && isFree) return ALLOW;
    const inspected = await bindingOf(call, tool, run.facts);
    if (inspected.type === "invalid") return { type: "refuse", message: inspected.message };
    const reason = rules.type === "ask" ? rules.reason : this.#whyAsked(inspected.argv);
    if (reason === undefined) return ALLOW;
    const { binding } = inspected;
    const { agentId, sessionId } = run.facts;
    if (await this.#options.store.isGranted({ binding, agentId, sessionId })) return ALLOW;
    if (!RUN_POLICY[run.turn.kind].mayAsk)
      return { type: "refuse", message: `${tool.name} was refused. ${reason} Nobody can be asked in this run.` };
    await run.commit();
    const approval = await this.#request({ call, tool, text: inspected.text, reason, binding }, run);
    const answer = await this.#answerTo(approval, run);
    if (answer === "allow-once" || answer === "allow-session" || answer === "allow-always") {
      const now = await bindingOf(call, tool, run.facts);
      if (now.type === "action" && now.binding === binding) return ALLOW;
      return { type: "refuse", message: `${tool.name} was not run: what it would run has changed since the owner was asked. Ask again.` };
    }
    return { type: "refuse", message: refusal(tool.name, answer, this.#minutes) };
  }

  /** Applies the owner's decision. Rejects with a `SessionRequestError` if no such call waits. */
  async decide(id: string, decision: ApprovalDecision): Promise<ApprovalRecord> {
    const { store, clock, logger } = this.#options;
    await this.#withdrawOfReset(parseShortCode(id));
    try {
      const approval = await store.decideApproval(parseShortCode(id), { decision, nowMs: clock.now() });
      logger.info("A tool call was decided on", { approval: approval.id, tool: approval.toolName, decision });
      if (approval.state === "running") this.#events.emit("allowed-late", approval);
      else this.#waiting.get(approval.id)?.answer(decision);
      return approval;
    } catch (error) {
      if (StoreError.isInstance(error) && error.code === "not-found")
        throw new SessionRequestError(
          "not-found",
          `No call with the id ${id} waits for a decision. See them with: factotum approvals list`,
        );
      throw error;
    }
  }

  /** Calls that wait, oldest first. */
  async waiting(): Promise<readonly ApprovalRecord[]> {
    const nowMs = this.#options.clock.now();
    const open = await this.#options.store.listApprovals(["pending", "parked"]);
    const current = await Promise.all(open.map(async (approval) => this.#isOfConversation(approval)));
    return open.filter(({ expiresAtMs }, index) => expiresAtMs > nowMs && current[index]);
  }

  /** Decisions that hold for later calls, oldest first. */
  async grants(): Promise<readonly ApprovalRecord[]> {
    return this.#options.store.listGrants();
  }

  /** Takes such a decision back; false if there is none. */
  async revoke(id: string): Promise<boolean> {
    const change = { from: ["decided", "running"], to: "withdrawn", nowMs: this.#options.clock.now() } as const;
    return (await this.#options.store.moveApproval(parseShortCode(id), change)) !== undefined;
  }

  /** Messages came into a session or left it: a run that waits there goes on with a message that came in. */
  queueChanged(sessionKey: string): void {
    if (this.#options.queue.waitReason(sessionKey) === undefined) return;
    for (const waiter of this.#waiting.values()) if (waiter.sessionKey === sessionKey) waiter.answer("parked");
  }

  /** False once the conversation of the call was reset. */
  async #isOfConversation({ sessionKey, sessionId }: ApprovalRecord): Promise<boolean> {
    return (await this.#options.store.readSession(sessionKey))?.sessionId === sessionId;
  }

  /** A parked call ends with its conversation. */
  async #withdrawOfReset(id: string): Promise<void> {
    const { store, clock } = this.#options;
    const approval = await store.readApproval(id);
    if (approval?.state !== "parked" || (await this.#isOfConversation(approval))) return;
    await store.moveApproval(id, { from: ["parked"], to: "withdrawn", nowMs: clock.now() });
  }

  get #minutes(): number {
    return this.#options.running.config.tools.approvals?.timeoutMinutes ?? DEFAULT_MINUTES;
  }

  /** Why a command is asked about by `tools.exec`; `undefined` if it is not. */
  #whyAsked(argv: readonly string[] | undefined): string | undefined {
    const { mode, allow = [] } = this.#options.running.config.tools.exec;
    if (mode === "ask") return 'Rule exec: tools.exec.mode is "ask".';
    if (argv === undefined) return "Rule exec: tools.exec.allow decides on single commands alone, and this one needs a shell.";
    return isAllowedCommand(argv, allow) ? undefined : "Rule exec: no pattern of tools.exec.allow covers it.";
  }

  async #request(
    { call, tool, text, reason, binding }: AskedCall,
    { turn, facts: { agentId, sessionId, sessionKey } }: AskingRun,
  ): Promise<ApprovalRecord> {
    const { store, clock, random } = this.#options;
    const nowMs = clock.now();
    for (let attempt = 1; ; attempt += 1) {
      const id = createShortCode(random, ID_LENGTH);
      try {
        return await store.requestApproval(
          {
            id,
            sessionKey,
            sessionId,
            agentId,
            turnId: turn.id,
            callId: call.id,
            toolName: tool.name,
            arguments: call.arguments,
            binding,
            text,
            reason,
            origin: turn.origin,
            expiresAtMs: nowMs + this.#minutes * 60_000,
          },
          { nowMs },
        );
      } catch (error) {
        if (attempt === MAX_IDS || !StoreError.isInstance(error) || error.code !== "conflict") throw error;
      }
    }
  }

  /** The decision on a call: the stored one, or the next one. */
  async #answerTo(approval: ApprovalRecord, run: AskingRun): Promise<Answer> {
    if (approval.state === "decided" && approval.decision !== undefined) return approval.decision;
    if (approval.state !== "pending") return approval.state === "expired" ? "expired" : "over";
    using _paused = run.deadline.pause();
    const decided = this.#wait(approval, run);
    await this.#announce(approval, run);
    const answer = await decided;
    const to = SETTLED[answer];
    if (to !== undefined) {
      const nowMs = this.#options.clock.now();
      const moved = await this.#options.store.moveApproval(approval.id, { from: ["pending"], to, nowMs });
      // A decision that came at the same moment counts.
      if (moved === undefined) return (await this.#options.store.readApproval(approval.id))?.decision ?? answer;
    }
    return answer;
  }

  async #wait({ id, sessionKey, expiresAtMs }: ApprovalRecord, { signal }: AskingRun): Promise<Answer> {
    const { clock, queue } = this.#options;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const onAbort = (): void => resolve("over");
    signal.addEventListener("abort", onAbort, { once: true });
    using _expiry = clock.schedule(Math.max(0, expiresAtMs - clock.now()), () => resolve("expired"));
    this.#waiting.set(id, { sessionKey, answer: resolve });
    this.#events.emit("waiting-change");
    try {
      if (signal.aborted) resolve("over");
      else if (queue.waitReason(sessionKey) !== undefined) resolve("parked");
      const answer = await promise;
      // The turn stays open: the next start asks again.
      if (answer === "over" && signal.reason instanceof LaneShutdown) throw signal.reason;
      return answer;
    } finally {
      this.#waiting.delete(id);
      this.#events.emit("waiting-change");
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Tells the owner, in this conversation if nobody else reads it, otherwise in the owner's own. */
  async #announce(approval: ApprovalRecord, { turn, inputIds }: AskingRun): Promise<void> {
    const { store, running, notices, watchers, logger } = this.#options;
    const text = requestText(approval, this.#minutes);
    const identity = ["approval", approval.id];
    const request = { text, identity, card: requestCard(approval, text) };
    try {
      if (await isOwnerChat(turn, { store, running })) {
        watchers.notice(inputIds, text);
        await notices.sendToChat(turn.sessionKey, turn.origin, request);
        await notices.addEntry(turn.sessionKey, { level: "info", text, key: identity.join("|") });
        return;
      }
      const mainKey = agentSessionKey(turn.agentId, running.config.session.mainKey);
      const own = await store.readSession(mainKey);
      if (own?.lastOrigin !== undefined) await notices.sendToChat(mainKey, own.lastOrigin, request);
      await notices.addEntry(mainKey, { level: "info", text, key: identity.join("|") });
      await notices.sendToChat(turn.sessionKey, turn.origin, { text: ASKED_ELSEWHERE, identity: [...identity, "hint"] });
    } catch (error) {
      // It can still be decided: factotum approvals list.
      logger.error("The owner could not be told about a call that waits", { approval: approval.id, error });
    }
  }
}

interface AskedCall {
  readonly call: ToolCall;
  readonly tool: AgentTool;
  readonly text: string;
  readonly reason: string;
  readonly binding: string;
}

const ALLOW: ToolDecision = { type: "allow" };

/** The state of a call whose wait ended without a decision. */
const SETTLED: Readonly<Partial<Record<Answer, "parked" | "expired" | "withdrawn">>> = {
  parked: "parked",
  expired: "expired",
  over: "withdrawn",
};

function refusal(name: string, answer: Exclude<Answer, "allow-once" | "allow-session" | "allow-always">, minutes: number): string {
  switch (answer) {
    case "deny":
      return `${name} was not run: the owner denied it. Do not try it in another way; say what you need it for, or go on without it.`;
    case "parked":
      return `${name} is pending and was not run: it waits for the owner's decision, and a message came in first. Answer that message.`;
    case "expired":
      return `${name} was not run: the owner did not decide within ${minutes} minutes.`;
    case "over":
      return `${name} was not run: the run was stopped while it waited for the owner's decision.`;
  }
}
