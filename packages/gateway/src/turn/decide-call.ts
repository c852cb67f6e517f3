import type { runAgent, ToolDecision } from "@factotum/agent-core";
import type { InboxStore, SessionStore } from "@factotum/store";
import type { ApprovalService, RuleDecision } from "../approvals/approval-service.ts";
import type { AskingRun } from "../approvals/waiting-calls.ts";
import type { GateDecision, ToolGate } from "../access/tool-gate.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { checkFlushCall } from "../compaction/memory-flush.ts";
import { checkCall } from "../conversation/current-authorization.ts";
import { modeKey, modeOf } from "../conversation/session-mode.ts";
import type { AskVerdict, HookRunner } from "../hooks/hook-runner.ts";
import type { LocalFiles } from "../media/local-files.ts";
import type { MediaStage } from "../media/media-stage.ts";
import { notesPath } from "../messages/notes-file.ts";
import type { PreparedTurn } from "../preparation/prepared-turn.ts";
import type { TurnSteering } from "../run/turn-steering.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import { isGivenAddress } from "../taint/given-address.ts";
import { instructionDecision } from "../taint/instruction-calls.ts";
import { isTaintBinding } from "../taint/taint.ts";

/** What decisions about calls depend on. */
export interface DecideCallOptions {
  readonly store: InboxStore & SessionStore;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly toolGate: ToolGate;
  readonly approvals: ApprovalService;
  readonly files: LocalFiles;
  readonly media: MediaStage;
  readonly hooks: HookRunner;
}

/** Decides about each call of a run: first the handlers of hooks, then the gateway's own rules about what they have left of it, then the owner if only the owner can. */
export function decideCalls(
  prepared: PreparedTurn,
  { steering, asking }: { readonly steering: TurnSteering; readonly asking: AskingRun },
  options: DecideCallOptions,
): Parameters<typeof runAgent>[0]["beforeTool"] {
  const { turn, facts } = prepared;
  const { files, approvals, store, media, hooks } = options;
  return async (asked, tool, { tainted, messages, signal }) => {
    const { id: callId, name, arguments: given } = asked;
    const place = { agentId: turn.agentId, sessionKey: turn.sessionKey, owner: facts.owner };
    const verdict = await hooks.beforeToolCall({ ...place, callId, tool: name, arguments: given, tainted }, signal);
    if (verdict.type === "deny") return { type: "refuse", message: verdict.message, ...(verdict.isForeign ? { isForeign: true } : {}) };
    // Nothing waits for the owner in a run that only adds notes.
    if (verdict.ask !== undefined && RUN_POLICY[turn.kind].onlyAddsNotes) return unasked(name, verdict.ask);
    const call = verdict.arguments === undefined ? asked : { ...asked, arguments: verdict.arguments };
    const calling = {
      prepared,
      facts,
      inputs: steering.said,
      tainted: await isTaintBinding(facts, tainted || verdict.isForeign, options),
      mode: modeOf(await store.readSession(modeKey(turn.sessionKey, steering.said))),
      isGiven: (url: string) => isGivenAddress(url, { tool: name, messages, receivedFolder: media.store.folder(turn.sessionId) }),
    };
    const decision = checkCall(call, tool, calling, options);
    if (decision.type === "refuse") return decision;
    const changed =
      verdict.arguments === undefined ? {} : { arguments: verdict.arguments, ...(verdict.isForeign ? { isForeign: true as const } : {}) };
    if (decision.type === "allow" && RUN_POLICY[turn.kind].onlyAddsNotes) {
      const checked = await checkFlushCall(call, tool, { notesPath: notesPath(prepared, turn.startedAtMs), run: facts, files });
      return checked.type === "allow" ? { ...checked, ...changed } : checked;
    }
    const changes = await instructionDecision(call, tool, calling);
    if (changes?.type === "refuse") return changes;
    const own = changes ?? decision;
    const answer = await approvals.check(call, tool, withHook(own, verdict.ask?.reason), facts, asking);
    if (answer.type !== "allow") return answer;
    return { ...answer, ...(changes === undefined ? {} : { isConfirmed: true as const }), ...changed };
  };
}

/** What the gateway's own rules say, with the question of a hook. The owner reads every reason. */
function withHook(own: Exclude<GateDecision, { readonly type: "refuse" }>, ask: string | undefined): RuleDecision {
  if (own.type === "ask") return { ...own, reason: [own.reason, ...(ask === undefined ? [] : [ask])].join(" "), endsWithTrust: true };
  return ask === undefined ? own : { type: "ask", reason: ask, endsWithTrust: false };
}

function unasked(name: string, { reason, isForeign }: AskVerdict): ToolDecision {
  const message = `${name} was not run. ${reason} The owner would have to allow it, and is not asked while notes are written. Do without it.`;
  return { type: "refuse", message, ...(isForeign ? { isForeign } : {}) };
}
