import type { Clock, PlanBoard, PlanStep, RunFacts } from "@factotum/agent-contract";
import { measure } from "@factotum/channel-kit";
import type { NewOutbound, OutboxStore, SessionStore, TurnRecord, TurnStore } from "@factotum/store";
import { LRUCache } from "lru-cache";
import type { RunningConfig } from "../agents/running-config.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { sendKey } from "../kernel/idempotency-key.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { isSuppressed } from "./is-suppressed.ts";
import { isOwnAddress } from "./plan-message.ts";
import { OUTBOX_TTL_MS } from "./retry-policy.ts";

/** Changes of one message. A plan that changes more often goes on without being shown in the chat. */
const MAX_EDITS = 20;
const MAX_KNOWN_TURNS = 1_000;

/** Dependencies of plans in chats. */
export interface ChatPlansParts {
  readonly store: OutboxStore & SessionStore & TurnStore;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  readonly hideSecrets: (text: string) => string;
}

/** The last change of a turn's message. */
interface LastEdit {
  readonly rowId: string;
  readonly text: string;
  readonly count: number;
}

/**
 * Shows plans in chats that can edit messages: one message for each turn, edited for each change. Other chats show none, since each change would be a message.
 * Tools are created before the engine, so `connect` provides the dependencies later.
 */
export class ChatPlans implements PlanBoard {
  #parts: ChatPlansParts | undefined;
  readonly #edits = new LRUCache<string, LastEdit>({ max: MAX_KNOWN_TURNS });

  connect(parts: ChatPlansParts): void {
    this.#parts = parts;
  }

  async show(steps: readonly PlanStep[], { callId, run }: { readonly callId: string; readonly run: RunFacts }): Promise<void> {
    const parts = this.#parts;
    const turn = await parts?.store.readTurn(run.runId);
    if (parts === undefined || turn === undefined || !RUN_POLICY[turn.kind].showsProgress) return;
    const capabilities = parts.channels.channelFor(turn.origin)?.capabilities;
    if (capabilities?.edit !== true || isOwnAddress(turn.origin, parts.channels) || (await isSuppressed(turn, parts))) return;
    const text = parts.hideSecrets(planText(steps));
    if (measure(text, capabilities.text.unit) > capabilities.text.maxLength) return;
    const first = await parts.store.findOutbound(messageKey(turn));
    if (first === undefined) return this.#send({ outbound: { type: "text", text }, key: messageKey(turn), turn }, parts);
    const last = this.#edits.get(turn.id);
    const maxEdits = Math.min(MAX_EDITS, capabilities.edits?.maxPerMessage ?? MAX_EDITS);
    if ((last?.count ?? 0) >= maxEdits || !(await isShown(last?.rowId ?? first.id, parts))) return;
    if ((last?.text ?? first.outbound.text) === text) return;
    // All of it counts as shown: if the platform refuses the edit, nothing is sent in its place.
    const outbound = { type: "edit", of: first.id, shown: text.length, text } as const;
    await this.#send({ outbound, key: sendKey("turn", turn.id, "plan", callId), turn, count: (last?.count ?? 0) + 1 }, parts);
  }

  async #send(
    {
      outbound,
      key,
      turn,
      count,
    }: {
      readonly outbound: NewOutbound["outbound"];
      readonly key: string;
      readonly turn: TurnRecord;
      readonly count?: number;
    },
    { store, dispatcher, clock }: ChatPlansParts,
  ): Promise<void> {
    const nowMs = clock.now();
    const row: NewOutbound = {
      sessionKey: turn.sessionKey,
      target: turn.origin,
      outbound,
      purpose: "notice",
      idempotencyKey: key,
      dueAtMs: nowMs,
      expiresAtMs: nowMs + OUTBOX_TTL_MS,
      state: "waiting",
    };
    const stored = await store.addOutbound([row], { turnId: turn.id });
    if (count !== undefined && stored[0] !== undefined) this.#edits.set(turn.id, { rowId: stored[0].id, text: outbound.text, count });
    dispatcher.dispatch(stored);
  }
}

function messageKey({ id }: TurnRecord): string {
  return sendKey("turn", id, "plan");
}

/** False once the message is gone or cannot be edited: a further change would become a message of its own. */
async function isShown(rowId: string, { store }: ChatPlansParts): Promise<boolean> {
  const state = (await store.readOutbound(rowId))?.state.type;
  return state === "accepted" || state === "waiting" || state === "sending";
}

/** A plan as a message. */
function planText(steps: readonly PlanStep[]): string {
  return ["**Plan**", ...steps.map(({ step, status }) => `- ${MARKS[status]} ${step.replaceAll(/\s+/g, " ")}`)].join("\n");
}

const MARKS: Readonly<Record<PlanStep["status"], string>> = { pending: "◻️", in_progress: "▶️", completed: "✅" };
