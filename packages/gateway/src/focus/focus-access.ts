import type { Origin } from "@factotum/channel-contract";
import type { InputRecord, SessionRecord, SessionStore } from "@factotum/store";
import { authorize } from "../access/authorize.ts";
import type { SessionReach, TargetSession } from "../agent-sessions/session-reach.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { isWiderThan, placeOfRun } from "../agents/run-place.ts";
import type { InputPolicy } from "../conversation/input-policy.ts";
import { isPrivateTurn } from "../conversation/session-context.ts";
import type { Route } from "../routing/route.ts";

/** What decides about messages of one conversation to another session. */
export interface FocusAccessParts {
  readonly store: Pick<SessionStore, "readSession">;
  readonly running: RunningConfig;
  readonly policy: Pick<InputPolicy, "routeOfSender">;
  readonly reach: Pick<SessionReach, "relation">;
}

/** A message of a conversation, with the session that it has by itself. */
export interface FocusedMessage extends Pick<InputRecord, "message" | "admission"> {
  readonly own: Pick<Route, "sessionKey" | "agentId">;
}

/**
 * Decides whether the sender of a message may speak in another session, for every message: a focus gives no rights. The conversation is asked about with the
 * one that its thread belongs to.
 */
export class FocusAccess {
  readonly #parts: FocusAccessParts;

  constructor(parts: FocusAccessParts) {
    this.#parts = parts;
  }

  async may({ message: { origin, sender }, admission, own }: FocusedMessage, target: TargetSession): Promise<boolean> {
    const { store, reach, policy } = this.#parts;
    const { owner } = admission;
    const isDirect = origin.conversation.kind === "direct";
    const around = withoutThread(origin);
    const outer = around === undefined ? [] : [policy.routeOfSender(around, sender.id, sender.roles).sessionKey];
    const record = await store.readSession(own.sessionKey);
    const fromPrivate = isPrivateTurn({ record, isGroup: !isDirect }, owner);
    for (const sessionKey of [own.sessionKey, ...outer]) {
      const relation = await reach.relation({ sessionKey, agentId: own.agentId }, target);
      // Another agent's sessions have their own chats; what it does as a sub-agent is no such session.
      if (relation === "allowed-agent") continue;
      const resource = { type: "session", relation, isPrivate: target.isPrivate, fromPrivate, isConfined: false } as const;
      const decision = authorize({ type: "run", owner, tainted: false }, { type: "session", access: "send" }, resource);
      if (decision.type === "allow") return !this.#isWider(own, target, { owner, group: !isDirect });
    }
    return false;
  }

  /** True if the sender's turns would leave the sandbox that they have in their own conversation. */
  #isWider(
    own: FocusedMessage["own"],
    { agentId, key }: Pick<SessionRecord, "agentId" | "key">,
    who: { readonly owner: boolean; readonly group: boolean },
  ): boolean {
    const { running } = this.#parts;
    const sandboxOf = (id: string, sessionKey: string): ReturnType<typeof placeOfRun>["sandbox"] =>
      placeOfRun(running.agent(id).config, { ...who, sessionKey }, "/").sandbox;
    const [mine, theirs] = [sandboxOf(own.agentId, own.sessionKey), sandboxOf(agentId, key)];
    return mine !== undefined && isWiderThan(mine, theirs);
  }
}

/** The conversation around a thread; `undefined` outside of threads. */
function withoutThread(origin: Origin): Origin | undefined {
  const { threadId, ...conversation } = origin.conversation;
  return threadId === undefined ? undefined : { ...origin, conversation };
}
