import { withoutUndefined } from "@factotum/agent-contract";
import type { Logger } from "@factotum/agent-contract";
import type { MsgContext, Origin } from "@factotum/channel-contract";
import type { InputAdmission, InputRecord, NewMove } from "@factotum/store";
import { admitMessage } from "../access/admit-message.ts";
import type { Activation, Admission, Missing } from "../access/admit-message.ts";
import { compileMentionPatterns, NO_MENTIONS } from "../access/mention-patterns.ts";
import type { MatchMention } from "../access/mention-patterns.ts";
import { asOfAuthor, isListedOwner } from "../access/owner.ts";
import type { PairedSenders } from "../access/paired-senders.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { broadcastAgents } from "../routing/broadcast-agents.ts";
import { routeMessage, routeQuery } from "../routing/route.ts";
import type { Route } from "../routing/route.ts";
import { normalizeSessionKey, parseAgentSessionKey } from "../routing/session-key.ts";

/** The dependencies of the policy. */
export interface InputPolicyOptions {
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly paired: PairedSenders;
  readonly logger: Logger;
}

/** Decides who is admitted, and where messages are routed, by the current configuration and channels. */
export class InputPolicy {
  readonly #options: InputPolicyOptions;
  /** Compiled once per configuration. */
  #mentions: { readonly patterns: readonly string[]; readonly match: MatchMention } = { patterns: [], match: NO_MENTIONS };

  constructor(options: InputPolicyOptions) {
    this.#options = options;
  }

  /**
   * Whether the current policy still admits the sender of an admitted input. A removed account decides nothing, and whether the input addressed the assistant
   * is not checked again.
   */
  admits(input: Pick<InputRecord, "message" | "admission">): boolean {
    if (this.#options.channels.accountFor(asOfAuthor(input).message.origin) === undefined) return true;
    const { type } = this.admit(input, undefined);
    return type === "admit" || type === "overheard";
  }

  /** Decides about an input; `activation` is the group's own setting. What another session sends is decided on by the person who has started it. */
  admit(input: Pick<InputRecord, "message" | "admission">, activation: Activation | undefined): Admission {
    const { message, admission } = asOfAuthor(input);
    if (admission.broadcast !== undefined && this.#options.running.agents.get(admission.broadcast.agentId) === undefined)
      return { type: "ignore", reason: "its agent is no longer configured" };
    const account = this.#options.channels.accountFor(message.origin);
    const addressing = this.#options.channels.channelFor(message.origin)?.capabilities.addressing;
    if (account === undefined || addressing === "session-key") {
      return admission.owner ? { type: "admit" } : { type: "ignore", reason: "the channel is not configured (any more)" };
    }
    return admitMessage(message, account, {
      owner: admission.owner,
      paired: this.#options.paired.has(message.origin, message.sender.id),
      matchMention: this.#matchMention(),
      groupIds: this.#options.channels.moves.idsOf(message.origin),
      // Other events never mention the assistant, so no mention is required.
      ...withoutUndefined({ activation: message.event.type === "message" ? activation : "always" }),
    });
  }

  /** Who would have to be listed for a channel's message to be admitted now; `undefined` if it is not refused for that. */
  missingFor(message: MsgContext): Missing | undefined {
    if (this.#options.channels.accountFor(message.origin) === undefined) return undefined;
    const decision = this.admit({ message, admission: this.admissionOf(message) }, undefined);
    if (decision.type === "pair") return "sender";
    return decision.type === "ignore" ? decision.missing : undefined;
  }

  /** The authority of a channel's message. */
  admissionOf(message: MsgContext): InputAdmission {
    const sessionKeyed = this.#options.channels.channelFor(message.origin)?.capabilities.addressing === "session-key";
    // A session-key address belongs to the gateway's own socket, which admits only holders of the token.
    if (sessionKeyed) return { owner: true, kind: "user", sessionKey: message.origin.conversation.id };
    return { owner: isListedOwner(message, this.#options.running.config.commands.ownerAllowFrom), kind: "user" };
  }

  /** The route of an input, if it is admitted. */
  routeOf(input: Pick<InputRecord, "message" | "admission">): Route {
    const { message, admission } = input;
    const { config, agents } = this.#options.running;
    if (admission.sessionKey !== undefined) {
      const sessionKey = normalizeSessionKey(admission.sessionKey);
      const agentId = admission.agentId ?? parseAgentSessionKey(sessionKey)?.agentId;
      return { sessionKey, agentId: agentId !== undefined && agents.get(agentId) !== undefined ? agentId : config.defaultAgentId };
    }
    const { id: senderId, roles = [], isBot } = message.sender;
    const query = routeQuery({ origin: message.origin, senderId, roles, isBot }, this.#options.channels);
    return routeMessage({ ...query, ...withoutUndefined({ agentId: admission.broadcast?.agentId }) }, config);
  }

  /** The route of a sender's messages from an address. */
  routeOfSender(origin: Origin, senderId: string, roles: readonly string[] = []): Route {
    return routeMessage(routeQuery({ origin, senderId, roles }, this.#options.channels), this.#options.running.config);
  }

  /** The agents that answer the conversation of a channel's message together, in their order; `undefined` if one agent does. */
  broadcastAgents({ origin, sender }: Pick<MsgContext, "origin" | "sender">): readonly string[] | undefined {
    const { channels, running } = this.#options;
    if (channels.channelFor(origin)?.capabilities.addressing === "session-key") return undefined;
    const { roles = [] } = sender;
    return broadcastAgents(routeQuery({ origin, senderId: sender.id, roles }, channels), running.config.broadcast);
  }

  /**
   * The move that an event of a channel reports, with the session that its new address has by itself. `undefined` for other events, and for a move that changes
   * no address: into a thread, from a group to a person or back, or by a channel whose addresses are session keys. These are only shown to the model.
   */
  moveOf({ event, origin, sender }: MsgContext): NewMove | undefined {
    if (event.type !== "moved" || event.to.threadId !== undefined) return undefined;
    if ((event.to.kind === "direct") !== (origin.conversation.kind === "direct")) return undefined;
    if (this.#options.channels.channelFor(origin)?.capabilities.addressing === "session-key") return undefined;
    const { threadId: _thread, ...from } = origin.conversation;
    const [before, after] = [from, event.to].map(
      (conversation) => this.routeOfSender({ ...origin, conversation }, sender.id, sender.roles).sessionKey,
    );
    return { to: event.to, ...(after === undefined || before === after ? {} : { unlessSession: after }) };
  }

  #matchMention(): MatchMention {
    const patterns = this.#options.running.config.messages.groupChat.mentionPatterns;
    if (this.#mentions.patterns !== patterns) this.#mentions = { patterns, match: compileMentionPatterns(patterns, this.#options.logger) };
    return this.#mentions.match;
  }
}
