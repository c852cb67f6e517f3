import type { AgentContext, PermissionOption, ToolCallContent } from "@agentclientprotocol/sdk";
import { methods } from "@agentclientprotocol/sdk";
import type { Approval, ApprovalDecision } from "@factotum/protocol";
import type { GatewayLink } from "../gateway-link.ts";

/** What asking for decisions needs. */
export interface PermissionsOptions {
  readonly sessionKey: string;
  readonly link: GatewayLink;
  readonly client: AgentContext;
  /** Shows a call before it is asked about. */
  readonly showCall: (call: Approval) => Promise<void>;
  /** The client could not be asked about a call, which waits on: the person is told where to decide. */
  readonly onUndecided: (call: Approval) => void;
  /** A decision could not be asked for or stored. */
  readonly onError: (error: Error) => void;
}

const MAX_TITLE_CHARS = 160;

const OPTIONS: Readonly<Record<ApprovalDecision, Omit<PermissionOption, "optionId">>> = {
  "allow-once": { name: "Allow once", kind: "allow_once" },
  "allow-session": { name: "Allow equal calls in this conversation", kind: "allow_always" },
  "allow-always": { name: "Always allow equal calls", kind: "allow_always" },
  deny: { name: "Deny", kind: "reject_once" },
};

/** Asks the client about the calls of one session that wait for the owner, each once, and passes its decisions on. A call that is decided elsewhere is asked about no longer. */
export class Permissions {
  readonly #options: PermissionsOptions;
  readonly #asked = new Map<string, AbortController>();
  #reading = Promise.resolve();

  constructor(options: PermissionsOptions) {
    this.#options = options;
  }

  /** Call it when the set of waiting calls may have changed. */
  refresh(): void {
    this.#reading = this.#reading.then(async () => this.#read()).catch((error: unknown) => this.#fail(error));
  }

  /** Withdraws all open requests and asks no more. */
  close(): void {
    for (const question of this.#asked.values()) question.abort();
    this.#asked.clear();
  }

  async #read(): Promise<void> {
    const { link, sessionKey } = this.#options;
    const { waiting } = await link.request("approvals.list", {});
    const own = waiting.filter((call) => call.sessionKey === sessionKey && !call.isParked);
    for (const [id, question] of this.#asked) {
      if (own.some((call) => call.id === id)) continue;
      question.abort();
      this.#asked.delete(id);
    }
    for (const call of own) {
      if (this.#asked.has(call.id)) continue;
      const question = new AbortController();
      this.#asked.set(call.id, question);
      void this.#ask(call, question.signal).catch((error: unknown) => {
        if (!question.signal.aborted) this.#fail(error);
      });
    }
  }

  async #ask(call: Approval, signal: AbortSignal): Promise<void> {
    const { link, onUndecided } = this.#options;
    let decision: ApprovalDecision | undefined;
    try {
      decision = await this.#decisionOf(call, signal);
    } catch (error) {
      if (signal.aborted) return;
      onUndecided(call);
      throw error;
    }
    if (decision !== undefined) await link.request("approvals.decide", { id: call.id, decision });
  }

  /** The client's decision; absent if it gives none, because its prompt was cancelled or the call was decided elsewhere. Rejects if it cannot be asked. */
  async #decisionOf(call: Approval, signal: AbortSignal): Promise<ApprovalDecision | undefined> {
    const { client, sessionKey, showCall } = this.#options;
    await showCall(call);
    const { outcome } = await client.request(
      methods.client.session.requestPermission,
      {
        sessionId: sessionKey,
        toolCall: {
          toolCallId: call.callId,
          title: `${call.toolName} ${call.text.split("\n", 1)[0] ?? ""}`.slice(0, MAX_TITLE_CHARS).toWellFormed(),
          status: "pending",
          content: [call.text, call.reason].map((text): ToolCallContent => ({ type: "content", content: { type: "text", text } })),
        },
        options: call.decisions.map((decision) => ({ optionId: decision, ...OPTIONS[decision] })),
      },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    );
    if (outcome.outcome !== "selected" || signal.aborted) return undefined;
    const decision = call.decisions.find((one) => one === outcome.optionId);
    if (decision === undefined)
      throw new Error(`The client chose "${outcome.optionId}", which was not offered: ${call.toolName} waits on.`);
    return decision;
  }

  #fail(error: unknown): void {
    this.#options.onError(error instanceof Error ? error : new Error("a decision could not be asked for", { cause: error }));
  }
}
