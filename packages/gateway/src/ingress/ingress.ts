import type { InputPolicy } from "../conversation/input-policy.ts";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Logger, Clock } from "@factotum/agent-contract";
import type { AccountProgress, MsgContext } from "@factotum/channel-contract";
import { StoreError } from "@factotum/store";
import type {
  AcceptedInput,
  InboxStore,
  InputAdmission,
  InputRecord,
  NewMove,
  OptimisticWrites,
  OtherParts,
  OutboxStore,
  SessionRecord,
  SessionStore,
  Store,
} from "@factotum/store";
import type { CrashPointHook } from "../kernel/crash-point.ts";
import type { Observer } from "../observe/observer.ts";
import { reportRefusal } from "../observe/refused-senders.ts";
import type { RefusedSenders } from "../observe/refused-senders.ts";
import type { InputWatchers } from "../queue/run-report.ts";
import type { MessageIntake } from "../channels/account-host.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { isOwnStop } from "../access/admit-message.ts";
import type { Activation } from "../access/admit-message.ts";
import { withPresentOwner } from "../access/owner.ts";
import type { Questions } from "../approvals/questions.ts";
import { commandAccess, isGivenOnce } from "../commands/command-access.ts";
import type { TypedCommand } from "../commands/parse-command.ts";
import type { PromptCommandMessage, PromptCommands } from "../commands/prompt-commands.ts";
import type { SessionFocus } from "../focus/session-focus.ts";
import { resolveQueueSettings } from "../queue/queue-settings.ts";
import type { QueueSettings } from "../queue/queue-settings.ts";
import { isStorageFull } from "../storage/is-storage-full.ts";
import type { PendingEvents } from "../queue/pending-events.ts";
import type { TurnQueue } from "../queue/turn-queue.ts";
import type { AnswerOrder } from "../delivery/answer-order.ts";
import type { TypingIndicator } from "../delivery/typing-indicator.ts";
import type { SessionWaits } from "../notices/session-waits.ts";
import { EVENT_POLICY } from "../run-policy/event-policy.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import { acceptInput, whenCommitted } from "../queue/optimistic-commits.ts";
import type { InputArrival } from "../queue/optimistic-commits.ts";
import type { AttemptHistory, InputJob } from "../queue/turn-job.ts";
import type { SessionSubagents } from "../subagents/session-subagents.ts";
import { BotLoops } from "./bot-loops.ts";
import { broadcastParts } from "./broadcast-parts.ts";
import { commandInMessage } from "./command-in-message.ts";
import { expandMessage } from "./expand-message.ts";
import { isTooOld } from "./is-too-old.ts";
import { NOT_ADDRESSED, OverheardMessages } from "./overheard-messages.ts";
import type { IngressTargets } from "./ingress-targets.ts";
import { isWantedReaction } from "./wanted-reaction.ts";
import { withReactionTarget } from "./reaction-target.ts";
import { readWords } from "./read-words.ts";

/** Session settings that apply before a message has a turn. */
interface SessionSettings {
  readonly queue: QueueSettings;
  readonly activation: Activation | undefined;
  readonly record: SessionRecord | undefined;
  /** What the message says to the model, if it is a skill or a command of the user's own. */
  readonly expanded: PromptCommandMessage | undefined;
}

/** The result of a submission. */
export interface Submission {
  readonly status: "accepted" | "duplicate";
  readonly inputId: string;
  readonly sessionKey: string;
}

/** Dependencies of the ingress. */
export interface IngressOptions {
  readonly store: InboxStore & OptimisticWrites & SessionStore & Pick<OutboxStore, "listSentMessage">;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly policy: InputPolicy;
  readonly promptCommands: PromptCommands;
  readonly questions: Questions;
  readonly focus: Pick<SessionFocus, "admissionOf" | "enter">;
  readonly subagents: Pick<SessionSubagents, "hasEnded">;
  readonly queue: TurnQueue;
  readonly pendingEvents: PendingEvents;
  readonly typing: TypingIndicator;
  readonly answerOrder: AnswerOrder;
  readonly waits: SessionWaits;
  readonly watchers: InputWatchers;
  readonly observer: Observer;
  readonly refused: RefusedSenders;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly crashPoint?: CrashPointHook | undefined;
}

/**
 * The first stage: commits every input before acknowledging it, then decides whether its sender is admitted and where it goes. Admission is synchronous, so
 * inputs keep their order from the commit to the queue.
 */
export class Ingress implements MessageIntake {
  readonly #options: IngressOptions;
  readonly #targets: IngressTargets;
  readonly #overheard: OverheardMessages;
  readonly #bots: BotLoops;
  readonly #opened = Promise.withResolvers<void>();
  /** Number of inputs that are being committed and are not in a queue yet: no later input may be queued ahead of them. */
  #arriving = 0;

  constructor(options: IngressOptions, targets: IngressTargets) {
    this.#options = options;
    this.#targets = targets;
    this.#overheard = new OverheardMessages(options);
    this.#bots = new BotLoops(options);
    // Often it is not awaited.
    this.#opened.promise.catch(() => undefined);
  }

  /** Restores the group messages that wait for a mention. */
  async recall(): Promise<void> {
    await this.#overheard.recall();
  }

  /** Starts to accept inputs, after those of the last process were queued. Earlier submissions wait for this, so that they are queued behind. */
  open(): void {
    this.#opened.resolve();
  }

  /** Rejects submissions that still wait for `open`: they were not acknowledged. */
  close(): void {
    this.#opened.reject(new StoreError("closed", "The gateway ended before it took messages. Send it again."));
  }

  /** Accepts an event of a channel. Resolves once it is committed; rejects if the commit failed. */
  async acceptEvent(reported: MsgContext, options: { readonly progress?: AccountProgress }): Promise<"accepted" | "duplicate"> {
    const { policy, store, focus } = this.#options;
    await this.#opened.promise;
    using _place = await focus.enter(reported);
    const message = await withReactionTarget(reported, store);
    const move = policy.moveOf(message);
    const { first, others } = await broadcastParts({ message, admission: policy.admissionOf(message) }, this.#options);
    const { status } = await this.submit(first.message, first.admission, { ...options, ...withoutUndefined({ move, others }) });
    return status;
  }

  /** Whether the sender of a channel's message is admitted, whatever it mentions. */
  admits(message: MsgContext): boolean {
    const { policy } = this.#options;
    return policy.admits({ message, admission: policy.admissionOf(message) });
  }

  /**
   * Takes an input of the gateway's own clients, whose authority is known. `isAwaited`: the client waits on its connection for the answer and does not
   * retry by itself, so the turn of an input with nothing ahead of it starts while it is being committed.
   */
  async submit(
    message: MsgContext,
    known: InputAdmission,
    options: {
      readonly progress?: AccountProgress;
      /** Of an event that only a channel may report. */
      readonly move?: NewMove;
      /** Of a message that several agents answer. They get it only if the first one's is admitted. */
      readonly others?: OtherParts;
      readonly onAccepted?: (inputId: string) => void;
      readonly isAwaited?: boolean;
    } = {},
  ): Promise<Submission> {
    await this.#opened.promise;
    const admission = await this.#options.focus.admissionOf({ message, admission: known });
    const said = { message, admission };
    // Read before the commit: nothing may be awaited between the commit and the queue.
    const settings = await this.#settings(said);
    const others = this.#options.policy.admit(said, settings.activation).type === "admit" ? options.others : undefined;
    const settingsOfOthers = new Map<string, SessionSettings>();
    for (const part of others?.parts ?? []) settingsOfOthers.set(part.admission.broadcast.agentId, await this.#settings(part));
    this.#options.crashPoint?.("before-inbound-commit");
    const accept = {
      admission,
      receivedAtMs: this.#options.clock.now(),
      ...withoutUndefined({ progress: options.progress, move: options.move, others }),
    };
    try {
      const isOptimistic = options.isAwaited === true && this.#mayBegin(said, settings);
      const { onAccepted } = options;
      const { type, input } = await this.#commit(said, accept, settings, { isOptimistic, onAccepted, settingsOfOthers });
      return { status: type, inputId: input.id, sessionKey: this.#options.policy.routeOf(input).sessionKey };
    } catch (error) {
      if (isStorageFull(error) && this.#options.policy.admit(said, settings.activation).type === "admit")
        this.#targets.refused(this.#options.policy.routeOf(said).sessionKey, message);
      throw error;
    }
  }

  /** True if an input may start before its commit: its session is idle, no earlier input is being committed and it is not a command. */
  #mayBegin(said: Pick<InputRecord, "message" | "admission">, settings: SessionSettings): boolean {
    return (
      this.#arriving === 0 &&
      this.#commandIn(said, settings) === undefined &&
      !this.#options.queue.lanes.isBusy(this.#options.policy.routeOf(said).sessionKey)
    );
  }

  /** Commits and admits an input: after the commit, so that inputs keep their order; or before it, if its turn may start meanwhile. */
  async #commit(
    { message }: Pick<InputRecord, "message">,
    accept: Parameters<Store["acceptInput"]>[1],
    settings: SessionSettings,
    {
      isOptimistic,
      onAccepted,
      settingsOfOthers,
    }: {
      readonly isOptimistic: boolean;
      readonly onAccepted: ((inputId: string) => void) | undefined;
      readonly settingsOfOthers: ReadonlyMap<string, SessionSettings>;
    },
  ): Promise<AcceptedInput> {
    const { store, queue, policy, channels } = this.#options;
    const admit = ({ input, others = [] }: AcceptedInput, arrival: InputArrival): void => {
      onAccepted?.(input.id);
      this.#admit(input, settings, { arrival });
      for (const other of others)
        this.#admit(other, settingsOfOthers.get(other.admission.broadcast?.agentId ?? "") ?? settings, { arrival });
    };
    this.#arriving += 1;
    let begins = false;
    try {
      const { accepted, arrival } = await acceptInput(store, [message, accept], { isOptimistic });
      const isNew = accepted.type === "accepted";
      // Another input may have been queued in the same tick; then this one goes behind it.
      if (arrival.type === "committing" && isNew && !queue.lanes.isBusy(policy.routeOf(accepted.input).sessionKey)) {
        begins = true;
        this.#arriving -= 1;
        admit(accepted, arrival);
      }
      await whenCommitted(arrival);
      this.#options.crashPoint?.("after-inbound-commit");
      if (accepted.move !== undefined) channels.moves.add(accepted.move);
      this.#options.observer.inputTaken(accepted.input, this.#options.policy.routeOf(accepted.input).sessionKey, accepted.type);
      if (isNew && !begins) admit(accepted, { type: "committed" });
      return accepted;
    } finally {
      if (!begins) this.#arriving -= 1;
    }
  }

  /** Queues an input that the last process left waiting, or that was revived. Await each call before the next to keep the order. */
  async recover(input: InputRecord): Promise<void> {
    await this.requeue(input, recovered(input));
  }

  /** Gives the input of a command the turn of the message that it stands for. */
  async queueAs(input: InputRecord, text: string): Promise<void> {
    await this.requeue(input, input.attempts === undefined ? { arrival: { type: "committed" } } : recovered(input), text);
  }

  /** Admits an input again by the running configuration. `history`: the attempts of its job, which a move keeps. `instead`: what its command stands for. */
  async requeue(input: InputRecord, history: AttemptHistory, instead?: string): Promise<void> {
    const present = withPresentOwner(input, this.#options.running.config.commands.ownerAllowFrom);
    const settings = await this.#settings(present);
    this.#admit(present, instead === undefined ? settings : { ...settings, expanded: { type: "message", text: instead } }, history);
  }

  /** Admits, refuses or routes an input. */
  #admit(input: InputRecord, settings: SessionSettings, history: AttemptHistory): void {
    const { queue, activation, record, expanded } = settings;
    // Who mentions one of the agents of a conversation mentions them all.
    const isOther = input.admission.broadcast?.first !== undefined;
    const decision = this.#options.policy.admit(input, isOther ? "always" : activation);
    if (this.#bots.isLoop(input, decision)) return this.#ignore(input, "the exchange with a bot has reached its limit");
    if (decision.type === "overheard") {
      this.#overheard.add(input.message);
      return this.#ignore(input, NOT_ADDRESSED);
    }
    if (decision.type === "ignore") {
      const { missing, reason } = decision;
      if (missing !== undefined) reportRefusal(input, { missing, reason }, this.#options);
      return this.#ignore(input, reason);
    }
    const route = this.#options.policy.routeOf(input);
    const { isFromPerson } = RUN_POLICY[input.admission.kind];
    if (decision.type === "pair" && !isFromPerson) return this.#ignore(input, "its sender is no longer admitted here");
    if (decision.type === "pair") return this.#targets.pair(route.sessionKey, input);
    const isAnswered = EVENT_POLICY[input.message.event.type].isAnswered && input.admission.isEvent !== true;
    if (!isAnswered) return this.#keepEvent(route.sessionKey, input, record);
    if (this.#isTooOld(input)) return this.#targets.tooOld(route.sessionKey, input);
    const { focus } = input.admission;
    if (focus !== undefined && this.#options.subagents.hasEnded(route.sessionKey)) return this.#targets.ended(focus.sessionKey, input);
    const command = this.#commandIn(input, settings, history);
    if (command !== undefined) {
      if (input.message.sender.isBot && !isOwnStop(input.message)) return this.#ignore(input, "bots give no commands");
      const isIgnored = commandAccess(command, { ...route, input }, this.#options.running.config) === "ignored";
      if (isOther && isGivenOnce(command)) return this.#ignore(input, "the first agent answers the command");
      if (!isIgnored) return this.#targets.command(route, command, input);
      if (input.message.command?.mayBeText !== true) return this.#ignore(input, "the command is the owner's");
    }
    const taken = expanded === undefined && isFromPerson ? this.#options.questions.take(route.sessionKey, input) : undefined;
    if (taken !== undefined) return this.#targets.answered(taken);
    this.#targets.messageReceived(route, input, record);
    const { text, directives } = readWords(input, expanded, this.#options.running.config);
    this.#enqueue(route.sessionKey, input, {
      type: "input",
      overflow: [],
      messages: [
        {
          input: { ...input, message: { ...input.message, text } },
          overheard: isFromPerson ? this.#overheard.take(input) : [],
          ...withoutUndefined({
            skill: expanded?.type === "message" ? expanded.skill : undefined,
            prompt: expanded?.type === "prompt" ? expanded.prompt : undefined,
          }),
        },
      ],
      agentId: route.agentId,
      ...(Object.keys(directives).length === 0 ? {} : { directives }),
      // The gateway's own clients send whole messages, and name the session.
      inboundDebounceMs:
        input.admission.sessionKey === undefined || focus !== undefined ? this.#options.running.config.messages.inbound.debounceMs : 0,
      queue,
      ...history,
    });
  }

  /** Queues a job, when the agents before it have answered, and shows its sender that it was accepted, or that it waits. */
  #enqueue(sessionKey: string, input: InputRecord, job: InputJob): void {
    const { queue, typing, waits, answerOrder } = this.#options;
    answerOrder.hold(sessionKey, input, () => {
      queue.add(sessionKey, job);
      if (isExpected(input)) typing.begin(sessionKey, input.message.origin);
      waits.onMessage(sessionKey, input);
    });
  }

  #commandIn(
    said: Pick<InputRecord, "message" | "admission">,
    { expanded }: SessionSettings,
    history?: AttemptHistory,
  ): TypedCommand | undefined {
    const { resetTriggers } = this.#options.running.config.session;
    return commandInMessage(said, { expanded, resetTriggers, isRecovered: history?.arrival.type === "recovered" });
  }

  /** Keeps an event for the next turn of its session; drops one of a platform if the session does not exist yet. */
  #keepEvent(sessionKey: string, input: InputRecord, record: SessionRecord | undefined): void {
    const { pendingEvents, channels } = this.#options;
    if (record === undefined && input.admission.isEvent !== true) return this.#ignore(input, "nothing was said in its session yet");
    const mode = channels.accountFor(input.message.origin)?.reactionNotifications;
    if (!isWantedReaction(input.message, mode)) return this.#ignore(input, "reactionNotifications leaves it out");
    for (const dropped of pendingEvents.add(sessionKey, input)) this.#ignore(dropped, "newer events of its session took its place");
  }

  /** The overrides of the session that an input is routed to. */
  async #settings(input: Pick<InputRecord, "message" | "admission">): Promise<SessionSettings> {
    const { store } = this.#options;
    const { config } = this.#options.running;
    const record = await store.readSession(this.#options.policy.routeOf(input).sessionKey);
    const { overrides } = record ?? {};
    const queue = resolveQueueSettings(config.messages.queue, { channel: input.message.origin.channel, override: overrides?.queue });
    return { queue, activation: overrides?.activation, record, expanded: await expandMessage(input, this.#options) };
  }

  #isTooOld(input: InputRecord): boolean {
    const { channels } = this.#options;
    const { config } = this.#options.running;
    const { maxAgeHours } = config.messages.inbound;
    return isTooOld(input, { maxAgeHours, capabilities: channels.channelFor(input.message.origin)?.capabilities });
  }

  #ignore(input: InputRecord, reason: string): void {
    const { store, logger, watchers } = this.#options;
    logger.debug("Input ignored", { inputId: input.id, channel: input.message.origin.channel, reason });
    void store
      .settleInputs([input.id], { type: "ignored", reason })
      .catch((error: unknown) => {
        // It stays `waiting` and is ignored again at the next start.
        logger.error("An ignored input could not be settled", { inputId: input.id, error });
      })
      // Only then: a watcher that comes later reads the settled state from the store, and an earlier one is notified.
      .then(() => watchers.settled([input.id], reason));
  }
}

/** True if the sender expects an answer: a group message without a mention may need none. */
function isExpected({ message, admission }: InputRecord): boolean {
  return RUN_POLICY[admission.kind].isFromPerson && (message.origin.conversation.kind === "direct" || message.mentionsBot);
}

/** One that is tried again after a crash in its turn has it alone. */
function recovered({ attempts = 1 }: InputRecord): AttemptHistory {
  return { arrival: { type: "recovered", isSolo: attempts > 1 } };
}
