import type { AgentTool, Clock, Logger, RunFacts } from "@factotum/agent-contract";
import { executeTool } from "@factotum/agent-core";
import type { MsgContext } from "@factotum/channel-contract";
import type { ApprovalRecord, ApprovalStore, InboxStore, InputAdmission, TurnRecord, TurnStore } from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import { turnReport } from "../background-commands/turn-report.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { policyRefusal, withCurrentAuthorization } from "../conversation/current-authorization.ts";
import { isElevatedRun } from "../conversation/elevation.ts";
import type { EditorLinks } from "../editors/editor-links.ts";
import type { Conversations } from "../conversation/conversations.ts";
import { quoteLines } from "../kernel/quote-lines.ts";
import { readInputs } from "../queue/asking-turn.ts";
import { runFacts } from "../prompt/run-facts.ts";
import type { ToolLimits } from "../queue/tool-limits.ts";
import { isSubagentKey } from "../routing/session-key.ts";
import { bindingOf } from "./call-binding.ts";

/** Takes the report of a call. Resolves once it is committed. */
interface ReportIntake {
  submit(message: MsgContext, admission: InputAdmission): Promise<unknown>;
}

/** The dependencies of parked calls. */
export interface ParkedCallsOptions {
  readonly store: ApprovalStore & InboxStore & TurnStore;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly conversations: Conversations;
  readonly toolLimits: ToolLimits;
  readonly editors: Pick<EditorLinks, "toolsOf">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The outcome of a call. `untrusted`: its result may contain text of others. */
interface CallEnd {
  readonly text: string;
  readonly untrusted: boolean;
}

/**
 * Runs calls that the owner allowed after their turn had gone on without them, and tells their sessions the results, each by an input of its own (R1). A call
 * is started at most once: one that a restart interrupted is reported as such.
 */
export class ParkedCalls {
  readonly #options: ParkedCallsOptions;
  readonly #closing = new AbortController();
  #intake: ReportIntake | undefined;

  constructor(options: ParkedCallsOptions) {
    this.#options = options;
  }

  /** Sets the intake of reports, once. */
  reportTo(intake: ReportIntake): void {
    this.#intake = intake;
  }

  /** Runs a call that was allowed (`running`), and reports its result. A call whose run the end of the gateway interrupts is reported by the next start. */
  async run(approval: ApprovalRecord): Promise<void> {
    const turn = await this.#options.store.readTurn(approval.turnId);
    if (turn === undefined)
      return this.#options.logger.warn("The turn of an allowed call is gone, so it is not run", { approval: approval.id });
    const end = await this.#execute(approval, turn);
    if (!this.#closing.signal.aborted) await this.#report(approval, turn, end);
  }

  /** Reports the calls that the last process left running. */
  async recover(): Promise<void> {
    for (const approval of await this.#options.store.listApprovals(["running"])) {
      const turn = await this.#options.store.readTurn(approval.turnId);
      const text = "It was interrupted by a restart of the gateway, and may have taken effect: look before you do it again.";
      if (turn !== undefined) await this.#report(approval, turn, { text, untrusted: false });
    }
  }

  /** Stops the running calls. */
  close(): void {
    this.#closing.abort();
  }

  async #execute(
    { sessionKey, sessionId, agentId, callId, toolName, binding, ...approval }: ApprovalRecord,
    turn: TurnRecord,
  ): Promise<CallEnd> {
    const { store, running, channels, conversations, toolLimits } = this.#options;
    const inputs = await readInputs(turn, store);
    const { owner } = withCurrentAuthorization(turn, inputs, running.config);
    // A guest's call waits for the owner's decision alone: a command in a sandbox with network.
    if (turn.owner && !owner) return notRun("the person it was for is no longer the owner");
    const context = await conversations.readContext(sessionKey, agentId, turn.origin);
    if (context.record?.sessionId !== sessionId) return notRun("its conversation was reset");
    const { agent, model, fallbacks, group } = context;
    const elevated = isElevatedRun({ inputs, record: context.record }, running.config);
    const facts = await runFacts({ ...turn, owner }, context, running, { elevated, inputs });
    const [sandboxed, subagent] = [facts.sandbox !== undefined, isSubagentKey(sessionKey)];
    const tools = agent.tools({
      model: model.client.info,
      fallbacks,
      group,
      sandboxed,
      subagent,
      added: this.#options.editors.toolsOf(sessionKey)?.sources,
    });
    const found = tools.find(({ name }) => name === toolName);
    const [tool] = toolLimits.apply(found === undefined ? [] : [found], sessionKey);
    if (tool === undefined) return notRun("the tool is not available any more");
    const refusal = policyRefusal(toolName, { turn, facts, inputs, provider: model.client.info.provider }, { running, channels });
    if (refusal !== undefined) return notRun(refusal.replace(/\.$/, ""));
    const call = { id: callId, name: toolName, arguments: approval.arguments };
    const now = await bindingOf(call, tool, facts);
    if (now.type === "invalid") return notRun(now.message);
    if (now.binding !== binding) return notRun("what it would run has changed since the owner was asked");
    return this.#call(tool, call, facts);
  }

  async #call(tool: AgentTool, call: Parameters<AgentTool["execute"]>[0], run: RunFacts): Promise<CallEnd> {
    const { signal } = this.#closing;
    // The text of others that asked for a decision is known: the owner has seen what it wants.
    const outcome = await executeTool(tool, call, { signal, run, tainted: false, onDelta: () => undefined });
    const parts = outcome.content.map((part) => (part.type === "text" ? part.text : "[an image, which is left out]"));
    return { text: `${outcome.isError ? "It failed" : "Its result"}:\n${quoteLines(parts.join("\n"))}`, untrusted: outcome.untrusted };
  }

  async #report(approval: ApprovalRecord, turn: TurnRecord, { text, untrusted }: CallEnd): Promise<void> {
    const { store, clock } = this.#options;
    if (this.#intake === undefined) throw new Error("nobody takes the reports of calls yet");
    const { sessionKey, agentId } = approval;
    const run = { runId: turn.id, owner: turn.owner, sessionKey, agentId };
    const { message, admission } = await turnReport(`approval:${approval.id}`, { run, tainted: untrusted }, this.#options);
    const said = [
      `The owner has now allowed the call of ${approval.toolName} that was pending.`,
      "The call:",
      quoteLines(approval.text),
      text,
      "Go on with what it was for. If no one needs to know, answer only NO_REPLY.",
    ].join("\n");
    // The store accepts it once, so a crash before the change of state repeats nothing.
    await this.#intake.submit({ ...message, text: said, timestampMs: clock.now() }, admission);
    await store.moveApproval(approval.id, { from: ["running"], to: "decided", nowMs: clock.now() });
  }
}

function notRun(reason: string): CallEnd {
  return { text: `It was not run: ${reason}.`, untrusted: false };
}
