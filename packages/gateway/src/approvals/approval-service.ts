import { EventEmitter } from "node:events";
import { plural, withoutUndefined } from "@factotum/agent-contract";
import type { AgentTool, Clock, Logger, RunFacts, ToolCall } from "@factotum/agent-contract";
import type { ToolDecision } from "@factotum/agent-core";
import type { Card, Origin } from "@factotum/channel-contract";
import { StoreError } from "@factotum/store";
import type { ApprovalDecision, ApprovalRecord, ApprovalStore, InboxStore, SessionStore, TurnRecord, TurnStore } from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { requestIdentity, requestKey } from "../kernel/request-key.ts";
import { parseShortCode } from "../kernel/short-code.ts";
import { RpcError } from "../kernel/rpc-error.ts";
import type { Notices } from "../notices/notices.ts";
import type { InputWatchers } from "../queue/run-report.ts";
import { agentSessionKey } from "../routing/session-key.ts";
import { mayAsk } from "../run-policy/input-traits.ts";
import { isOwnerChat } from "../preparation/owner-chat.ts";
import { isAllowedCommand } from "./allowed-command.ts";
import { modeKey, modeOf } from "../conversation/session-mode.ts";
import { traitsOf } from "../access/tool-gate.ts";
import { bindingOf } from "./call-binding.ts";
import type { CallBinding } from "./call-binding.ts";
import { CONFIG_RULE, isConfigCall, isDecidedCommand } from "./command-rule.ts";
import {
  ASKED_ABOVE,
  ASKED_ELSEWHERE,
  decidedText,
  decisionsOn,
  ONCE_ONLY,
  requestBlocks,
  requestCard,
  requestText,
  taintAdvice,
} from "./approval-texts.ts";
import { askedBy, askedIn } from "./asked-in.ts";
import { askingSession } from "./asking-session.ts";
import type { AskingRun, WaitEnd, WaitingCalls } from "./waiting-calls.ts";

/** How a wait for a decision ended. */
type Answer = ApprovalDecision | Exclude<WaitEnd, "settled">;

/** The rules' answer about a call: it may run, or only with the owner's word. */
export type RuleDecision =
  | { readonly type: "allow" }
  /** `endsWithTrust`: requests of this rule end when the owner trusts what the conversation has read. */
  | { readonly type: "ask"; readonly reason: string; readonly endsWithTrust: boolean };

/** Dependencies of approvals. */
export interface ApprovalServiceOptions {
  readonly store: ApprovalStore & InboxStore & SessionStore & Pick<TurnStore, "readTurn">;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly calls: WaitingCalls;
  readonly notices: Notices;
  readonly watchers: InputWatchers;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Asks the owner about tool calls and applies the decisions (R21, R23). A decision counts for calls with the same binding alone: the same command, folder,
 * variables and programs. A waiting call is stored, so it waits on after a restart, and never starts without a decision.
 */
export class ApprovalService {
  readonly #options: ApprovalServiceOptions;
  readonly #events = new EventEmitter<{ "allowed-late": [ApprovalRecord] }>();

  constructor(options: ApprovalServiceOptions) {
    this.#options = options;
  }

  /** Calls the listener whenever a call starts or stops waiting. */
  onWaitingChange(listener: () => void): Disposable {
    return this.#options.calls.onChange(listener);
  }

  /** Calls the listener with each call that is allowed after its turn went on without it. */
  onAllowedLate(listener: (approval: ApprovalRecord) => void): Disposable {
    this.#events.on("allowed-late", listener);
    return { [Symbol.dispose]: () => void this.#events.off("allowed-late", listener) };
  }

  /** Decides whether a call runs, and waits for the owner if only the owner can decide that. */
  async check(call: ToolCall, tool: AgentTool, rules: RuleDecision, facts: RunFacts, run: AskingRun): Promise<ToolDecision> {
    // A mode decides in advance where the owner could be asked, and nowhere else.
    const isAskable = mayAsk(run.turn.kind, run.said());
    const session = isAskable ? modeOf(await this.#options.store.readSession(modeKey(facts.sessionKey, run.said()))) : "ask";
    const isConfig = isConfigCall(call, tool);
    const isDecided = isConfig || isDecidedCommand(call, tool, facts, { exec: this.#options.running.config.tools.exec, session });
    if (rules.type === "allow" && !isDecided) return ALLOW;
    const inspected = await bindingOf(call, tool, facts);
    if (inspected.type === "invalid") return { type: "refuse", message: inspected.message };
    const own = isConfig ? CONFIG_RULE : this.#whyAsked(inspected);
    const rule = rules.type === "ask" ? rules.reason : own;
    if (rule === undefined) return ALLOW;
    const reason = facts.sandbox?.elevated === true && traitsOf(call, tool).effect === "execute" ? `${rule} ${ON_HOST}` : rule;
    const { binding } = inspected;
    const { agentId, sessionId } = facts;
    const onceOnly = isConfig || inspected.onceOnly === true;
    if (!onceOnly && (await this.#options.store.findGrant({ binding, agentId, sessionId })) !== undefined) return ALLOW;
    if (!isAskable) return { type: "refuse", message: `${tool.name} was refused. ${reason} No one can be asked in this run.` };
    await run.commit();
    const advice = rules.type === "ask" && rules.endsWithTrust && facts.owner && !onceOnly ? ` ${taintAdvice(run.turn)}` : "";
    const asked: AskedCall = {
      call,
      tool,
      text: inspected.text,
      reason: reason + advice,
      binding,
      ...(onceOnly ? { onceOnly } : {}),
    };
    const isPrivate = await isOwnerChat(run.turn, this.#options);
    const from = [isPrivate ? undefined : askedIn(run, facts), askedBy(run)].filter((part) => part !== undefined);
    const approval = await this.#request({ ...asked, ...(from.length === 0 ? {} : { askedIn: from.join(" ") }) }, facts, run);
    const answer = await this.#answerTo(approval, run);
    if (answer === "allow-once" || answer === "allow-session" || answer === "allow-always") {
      const now = await bindingOf(call, tool, facts);
      if (now.type === "action" && now.binding === binding) return ALLOW;
      return { type: "refuse", message: `${tool.name} was not run: what it would run has changed since the owner was asked. Ask again.` };
    }
    return { type: "refuse", message: refusal(tool.name, answer, this.#options.calls.minutes) };
  }

  /** Applies the owner's decision. Rejects with an `RpcError` if no such call waits. */
  async decide(id: string, decision: ApprovalDecision): Promise<ApprovalRecord> {
    const { store, clock, logger } = this.#options;
    const open = await store.readApproval(parseShortCode(id));
    if (open !== undefined) {
      await this.#withdrawOfReset(open);
      if (!decisionsOn(open).includes(decision)) throw new RpcError("invalid-request", ONCE_ONLY);
    }
    try {
      const approval = await store.decideApproval(parseShortCode(id), { decision, nowMs: clock.now() });
      logger.info("A tool call was decided on", { approval: approval.id, tool: approval.toolName, decision });
      if (approval.state === "running") this.#events.emit("allowed-late", approval);
      else this.#options.calls.settled(approval.id);
      return approval;
    } catch (error) {
      if (StoreError.isInstance(error) && error.code === "not-found")
        throw new RpcError("not-found", `No call with the id ${id} waits for a decision. See them with: factotum approvals list`);
      throw error;
    }
  }

  /** Says in the conversation that was asked what was decided elsewhere, such as by a button of the page. Never rejects. */
  async tellDecision(approval: ApprovalRecord): Promise<void> {
    const { store, running, notices, logger } = this.#options;
    try {
      const turn = await store.readTurn(approval.turnId);
      if (turn === undefined) return;
      const isAskedHere = await isOwnerChat(turn, { store, running });
      const sessionKey = isAskedHere ? await askingSession(turn, store) : this.#mainKey(turn);
      await notices.addEntry(sessionKey, { level: "info", text: decidedText(approval), key: `decided|${approval.id}` });
    } catch (error) {
      logger.error("A decision could not be shown in its conversation", { approval: approval.id, error });
    }
  }

  #mainKey({ agentId }: Pick<TurnRecord, "agentId">): string {
    return agentSessionKey(agentId, this.#options.running.config.session.mainKey);
  }

  /** Calls that wait, oldest first. */
  async waiting(): Promise<readonly ApprovalRecord[]> {
    const nowMs = this.#options.clock.now();
    const open = await this.#options.store.listApprovals(["pending", "parked"]);
    const current = await Promise.all(open.map(async (approval) => this.#isOfConversation(approval)));
    return open.filter(({ expiresAtMs, isQuestion }, index) => expiresAtMs > nowMs && isQuestion !== true && current[index]);
  }

  /** Decisions that hold for later calls, oldest first. One for a conversation ends with its reset. */
  async grants(): Promise<readonly ApprovalRecord[]> {
    const stored = await this.#options.store.listGrants();
    const holds = await Promise.all(stored.map(async (one) => one.decision === "allow-always" || this.#isOfConversation(one)));
    return stored.filter((_, index) => holds[index]);
  }

  /** Takes such a decision back; false if there is none. */
  async revoke(id: string): Promise<boolean> {
    const change = { from: ["decided", "running"], to: "withdrawn", nowMs: this.#options.clock.now() } as const;
    return (await this.#options.store.moveApproval(parseShortCode(id), change)) !== undefined;
  }

  /** False once the conversation of the call was reset. */
  async #isOfConversation({ sessionKey, sessionId }: ApprovalRecord): Promise<boolean> {
    return (await this.#options.store.readSession(sessionKey))?.sessionId === sessionId;
  }

  /** A parked call ends with its conversation. */
  async #withdrawOfReset(approval: ApprovalRecord): Promise<void> {
    const { store, clock } = this.#options;
    if (approval.state !== "parked" || (await this.#isOfConversation(approval))) return;
    await store.moveApproval(approval.id, { from: ["parked"], to: "withdrawn", nowMs: clock.now() });
  }

  /** Why a command is asked about by `tools.exec`; `undefined` if it is not. */
  #whyAsked({ argv, reservedWords = [] }: Pick<Extract<CallBinding, { type: "action" }>, "argv" | "reservedWords">): string | undefined {
    const { mode, allow = [] } = this.#options.running.config.tools.exec;
    if (mode === "ask") return 'Rule exec: tools.exec.mode is "ask".';
    if (argv === undefined) return "Rule exec: tools.exec.allow decides on single commands alone, and this one needs a shell.";
    if (isAllowedCommand(argv, allow, reservedWords)) return undefined;
    return `Rule exec: no pattern of tools.exec.allow covers it.${reservedWords.length > 0 ? OWN_FILES : ""}`;
  }

  async #request(
    { call, tool, ...asked }: AskedCall,
    { agentId, sessionId, sessionKey }: RunFacts,
    { turn }: AskingRun,
  ): Promise<ApprovalRecord> {
    return this.#options.calls.request({
      sessionKey,
      sessionId,
      agentId,
      turnId: turn.id,
      callId: call.id,
      toolName: tool.name,
      arguments: call.arguments,
      ...asked,
      origin: turn.origin,
    });
  }

  /** The decision on a call: the stored one, or the next one. */
  async #answerTo(approval: ApprovalRecord, run: AskingRun): Promise<Answer> {
    const { end, call } = await this.#options.calls.wait(approval, run, async () => this.#announce(approval, run));
    return end === "settled" ? (call.decision ?? "over") : end;
  }

  /** Tells the owner, in this conversation, or the one above a sub-agent, if only the owner reads it; otherwise in the owner's own. */
  async #announce(approval: ApprovalRecord, { turn, inputIds }: AskingRun): Promise<void> {
    const { store, running, channels, calls, notices, watchers, logger } = this.#options;
    const text = requestText(approval, { minutes: calls.minutes });
    const entry = { level: "info", text, blocks: requestBlocks(approval) } as const;
    const request = { type: "decision", id: approval.id } as const;
    const identity = requestIdentity(request);
    const requestFor = (target: Origin): { readonly text: string; readonly identity: readonly string[]; readonly card: Card } => {
      const { codeBlocks } = channels.channelFor(target)?.capabilities.text ?? {};
      const shown = requestText(approval, { minutes: calls.minutes, ...withoutUndefined({ codeBlocks }) });
      return { text: shown, identity, card: requestCard(approval, shown) };
    };
    try {
      if (await isOwnerChat(turn, { store, running })) {
        watchers.notice(inputIds(), text);
        await notices.sendToChat(turn.sessionKey, turn.origin, requestFor(turn.origin));
        const shownIn = await askingSession(turn, store);
        if (shownIn === turn.sessionKey) return await notices.addEntry(shownIn, { ...entry, key: requestKey(request) });
        // Clients that ask by themselves do so for the calls of their session.
        await notices.addEntry(shownIn, { ...entry, key: `subagent-${requestKey(request)}` });
        return await notices.addEntry(turn.sessionKey, { level: "info", text: ASKED_ABOVE, key: `above-${requestKey(request)}` });
      }
      const mainKey = this.#mainKey(turn);
      const own = await store.readSession(mainKey);
      if (own?.lastOrigin !== undefined) await notices.sendToChat(mainKey, own.lastOrigin, requestFor(own.lastOrigin));
      await notices.addEntry(mainKey, { ...entry, key: requestKey(request) });
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
  readonly onceOnly?: true;
  readonly askedIn?: string;
}

const ALLOW: ToolDecision = { type: "allow" };

const OWN_FILES = " It names files of Factotum itself, which wildcards do not cover.";

const ON_HOST = "It would run on the host, because of /elevated.";

function refusal(name: string, answer: Exclude<Answer, "allow-once" | "allow-session" | "allow-always">, minutes: number): string {
  switch (answer) {
    case "deny":
      return `${name} was not run: the owner denied it. Do not try it in another way; say what you need it for, or go on without it.`;
    case "parked":
      return `${name} is pending and was not run: it waits for the owner's decision, and a message came in first. Answer that message.`;
    case "expired":
      return `${name} was not run: the owner did not decide within ${plural(minutes, "minute")}.`;
    case "over":
      return `${name} was not run: the run was stopped while it waited for the owner's decision.`;
  }
}
