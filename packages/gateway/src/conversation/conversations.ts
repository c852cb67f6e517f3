import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock, ExternalAgents, Logger, Random } from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";
import { StoreError } from "@factotum/store";
import type { InputRecord, TaskBounds, SessionRecord, SessionStore, Store } from "@factotum/store";
import { endExternalAgents, externalAgentOf, externalReference } from "../agents/external-agent.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { SessionCommands } from "../background-commands/session-commands.ts";
import type { SessionCache } from "../context/session-cache.ts";
import type { SessionEvents } from "../events/session-events.ts";
import type { HookRunner } from "../hooks/hook-runner.ts";
import { leadInput } from "../queue/turn-job.ts";
import type { InputJob } from "../queue/turn-job.ts";
import { preferCredential } from "../requests/session-credential.ts";
import { boundExternalAgent, routeQuery } from "../routing/route.ts";
import { isSubagentKey, sessionKind } from "../routing/session-key.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import { groupOf } from "./session-context.ts";
import type { SessionContext, SessionFacts } from "./session-context.ts";
import { findStaleness, resetPolicy } from "./automatic-reset.ts";
import { sessionName } from "./session-name.ts";
import { unansweredTexts } from "./unanswered-texts.ts";

/** Entries in which the message is looked for that a branch begins at. */
const LOOK_BACK = 200;

/** The dependencies of conversations. */
export interface ConversationsOptions {
  readonly store: SessionStore & Pick<Store, "appendEntry" | "branchTranscript" | "chooseBranch" | "readTranscript" | "readRecentContext">;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly cache: SessionCache;
  readonly events: SessionEvents;
  readonly hooks: HookRunner;
  readonly sessionCommands: Pick<SessionCommands, "endSession">;
  readonly externalAgents: Pick<ExternalAgents, "close">;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** The conversations of sessions: the facts for a turn, creation and reset. */
export class Conversations {
  readonly #options: ConversationsOptions;

  constructor(options: ConversationsOptions) {
    this.#options = options;
  }

  /**
   * Looks up the facts for a turn of this session; `asked` is what its scheduled job says instead of the session, `input` its first message, whose binding may name
   * an external agent. Rejects with a `ModelError` if its model is unusable.
   */
  async readContext(
    sessionKey: string,
    agentId: string,
    origin: Origin,
    asked: Pick<TaskBounds, "model" | "thinking" | "workspace"> = {},
    input?: InputRecord,
  ): Promise<SessionContext> {
    const facts = await this.readFacts(sessionKey, agentId, origin);
    const { agent, record } = facts;
    const reference = asked.model ?? chosenModel(record, input) ?? (input === undefined ? undefined : this.boundModel(input));
    return {
      ...facts,
      thinking: asked.thinking ?? facts.thinking,
      workspace: record === undefined ? asked.workspace : facts.workspace,
      model: preferCredential(await agent.model(reference), record?.overrides.authProfile),
      fallbacks: await agent.fallbacks(reference),
    };
  }

  /** The external agent that a chat is bound to, as a model. A message for a session by its key is not of that chat, and `broadcast` takes precedence. */
  boundModel({ message: { origin, sender }, admission }: InputRecord): string | undefined {
    if (admission.sessionKey !== undefined || admission.broadcast !== undefined) return undefined;
    const { channels, running } = this.#options;
    const agent = boundExternalAgent(routeQuery({ origin, senderId: sender.id, roles: sender.roles ?? [] }, channels), running.config);
    return agent === undefined ? undefined : externalReference(agent);
  }

  /** The same without the models: does not fail for any configuration. */
  async readFacts(sessionKey: string, agentId: string, origin: Origin): Promise<SessionFacts> {
    const { store, running, channels, random } = this.#options;
    const record = await store.readSession(sessionKey);
    const agent = running.agent(agentId);
    const channel = channels.channelFor(origin);
    return {
      record,
      sessionId: record?.sessionId ?? random.uuid(),
      agent,
      isGroup: origin.conversation.kind !== "direct",
      workspace: record?.overrides.workspace,
      thinking: record?.overrides.thinking ?? agent.config.thinking,
      reasoning: record?.overrides.reasoning ?? agent.config.reasoning,
      verbose: record?.overrides.verbose ?? agent.config.verbose,
      group: groupOf(origin, channels),
      channel:
        channel === undefined
          ? undefined
          : { id: origin.channel, capabilities: channel.capabilities, account: channels.accountFor(origin) },
    };
  }

  /** The session after a change. */
  async refresh(context: SessionContext): Promise<SessionContext> {
    const { record } = context;
    return record === undefined ? context : { ...context, record: (await this.#options.store.readSession(record.key)) ?? record };
  }

  /** Creates the conversation of an input that gets no turn, unless it exists. */
  async ensure({
    sessionKey,
    agentId,
    input,
  }: {
    readonly sessionKey: string;
    readonly agentId: string;
    readonly input: InputRecord;
  }): Promise<SessionRecord> {
    const { store, channels, random, clock } = this.#options;
    const { message, admission } = input;
    const isPlatform = channels.channelFor(message.origin)?.capabilities.addressing === "platform";
    return store.createSession(
      {
        key: sessionKey,
        sessionId: random.uuid(),
        agentId,
        isPrivate: admission.owner && message.origin.conversation.kind === "direct",
        // A command is no name for a conversation.
        displayName: isPlatform ? sessionName(message, true) : message.origin.channel,
        ...withoutUndefined({ expiresAtMs: admission.expiresAtMs }),
      },
      { nowMs: clock.now() },
    );
  }

  /** Resets the conversation under a key, ends its background commands, and notifies watchers. Call it in the session's lane. The old transcript stays readable by its session id. */
  async reset(sessionKey: string, reason: "reset" | "stale" = "reset"): Promise<SessionRecord> {
    const { store, running, cache, events, hooks, sessionCommands, random, clock } = this.#options;
    const before = await store.readSession(sessionKey);
    const record = await store.resetSession(sessionKey, {
      sessionId: random.uuid(),
      // A sub-agent has no chat of its own, by which it could be told whether others read it.
      isPrivate: isSubagentKey(sessionKey)
        ? before?.isPrivate === true
        : sessionKind(sessionKey, running.config.session.mainKey) !== "group",
      nowMs: clock.now(),
    });
    if (before !== undefined) {
      const { agentId, sessionId } = before;
      cache.drop(sessionId);
      hooks.observe("session_end", () => ({ agentId, sessionKey, sessionId, reason }));
    }
    endExternalAgents(sessionKey, this.#options);
    const ended = sessionCommands.endSession(sessionKey);
    if (ended > 0) {
      const text = `${ended === 1 ? "A background command" : `${ended} background commands`} of the earlier conversation ended with it.`;
      await store.appendEntry(record.sessionId, { type: "notice", level: "info", text }, { timestampMs: clock.now() });
    }
    events.publish(sessionKey, { type: "reset" });
    return record;
  }

  /**
   * Begins the branch of the transcript that a message asks for. Once for each input, also if its turn is prepared again after a crash. False if it asks for
   * none, if the conversation was reset or the entry forgotten since, or if there are too many branches: then it is a message like others.
   */
  async beginBranch(sessionKey: string, job: InputJob): Promise<boolean> {
    const { store, clock, logger } = this.#options;
    const { id, admission } = leadInput(job);
    if (admission.branch === undefined) return false;
    const { sessionId, before } = admission.branch;
    if ((await store.readSession(sessionKey))?.sessionId !== sessionId) return false;
    // What is behind a message that is shown has been trusted with it; another branch has not.
    const { items } = await store.readTranscript(sessionId, { limit: LOOK_BACK });
    if (!items.some((entry) => entry.id === before)) await this.#endTrust(sessionKey);
    try {
      await store.branchTranscript(sessionId, { before, key: `branch:${id}`, timestampMs: clock.now() });
    } catch (error) {
      if (!StoreError.isInstance(error) || (error.code !== "not-found" && error.code !== "invalid")) throw error;
      logger.warn("A message begins no branch of its conversation", { sessionKey, error });
      return false;
    }
    this.#changeBranch(sessionKey, sessionId);
    return true;
  }

  /**
   * Continues the newest branch that has the entry; false if it is the current one. Trust in what stood here so far does not cover it. Rejects as the store does.
   * Call it in the session's lane.
   */
  async chooseBranch(
    sessionKey: string,
    { sessionId, entryId }: { readonly sessionId: string; readonly entryId: string },
  ): Promise<boolean> {
    const { store, clock } = this.#options;
    const chosen = await store.chooseBranch(sessionId, { entryId, timestampMs: clock.now() });
    if (chosen === undefined) return false;
    await this.#endTrust(sessionKey);
    this.#changeBranch(sessionKey, sessionId);
    return true;
  }

  /** Ends the trust in a part of the conversation: it goes by the order of entries, in which those of other branches come earlier, too (R23). */
  async #endTrust(sessionKey: string): Promise<void> {
    const { store, clock } = this.#options;
    const trust = (await store.readSession(sessionKey))?.trust;
    if (trust?.type === "until") await store.patchSession(sessionKey, { trust: null }, { nowMs: clock.now() });
  }

  /** Other entries than before are the conversation: what is cached of it goes, and an external agent starts over. */
  #changeBranch(sessionKey: string, sessionId: string): void {
    this.#options.cache.drop(sessionId);
    endExternalAgents(sessionKey, this.#options);
    this.#options.events.publish(sessionKey, { type: "branch-change" });
  }

  /**
   * Resets the conversation if it was stale when a person's message arrived; otherwise a no-op. The time of arrival decides, so that a message that had to wait
   * for a turn still belongs to its conversation. Input without a person resets nothing, and a sub-agent keeps what it knows. What was sent since the last
   * message is known in the new conversation.
   */
  async resetIfStale<Context extends SessionFacts>(context: Context, sessionKey: string, job: InputJob): Promise<Context> {
    const input = leadInput(job);
    if (context.record === undefined || !RUN_POLICY[input.admission.kind].isFromPerson || isSubagentKey(sessionKey)) return context;
    const policy = resetPolicy(this.#options.running.config.session, { key: sessionKey, channel: input.message.origin.channel });
    const staleness = findStaleness(context.record, policy, { saidAtMs: input.receivedAtMs, time: context.agent.time });
    if (staleness === undefined) return context;
    const { store } = this.#options;
    const unanswered = await unansweredTexts(context.record, store);
    const record = await this.reset(sessionKey, "stale");
    for (const { timestampMs, ...note } of unanswered)
      await store.appendEntry(record.sessionId, { type: "notice", level: "info", tellsModel: true, ...note }, { timestampMs });
    this.#options.logger.info("A session was reset automatically", { sessionKey, rule: staleness, before: context.sessionId });
    return { ...context, record, sessionId: record.sessionId };
  }
}

/**
 * The model that was chosen for a session. The result of a sub-agent is told by the model whose work it is, and is no prompt of an external agent that answers
 * there now: it may be text of others, and the agent acts on the host by itself.
 */
function chosenModel(record: SessionRecord | undefined, input: InputRecord | undefined): string | undefined {
  const chosen = record?.overrides.model;
  return input?.admission.completion !== undefined && externalAgentOf(chosen) !== undefined ? undefined : chosen;
}
