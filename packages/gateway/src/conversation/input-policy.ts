import { withoutUndefined } from "@factotum/agent-contract";
import type { MsgContext } from "@factotum/channel-contract";
import type { InputAdmission, InputRecord } from "@factotum/store";
import { admitMessage } from "../access/admit-message.ts";
import type { Activation, Admission } from "../access/admit-message.ts";
import { isListedOwner } from "../access/owner.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { routeMessage } from "../routing/route.ts";
import type { Route } from "../routing/route.ts";
import { normalizeSessionKey, parseAgentSessionKey } from "../routing/session-key.ts";

/** What inputs are judged by. */
export interface InputPolicyOptions {
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
}

/** Who may talk, and where what they say goes, by the configuration and the channels of now. */
export class InputPolicy {
  readonly #options: InputPolicyOptions;
  /** Compiled once for every configuration. */
  #mentions: { readonly patterns: readonly string[]; readonly compiled: readonly RegExp[] } = { patterns: [], compiled: [] };

  constructor(options: InputPolicyOptions) {
    this.#options = options;
  }

  /**
   * Whether the policy of now lets in who said something that was let in when it came. An account that is gone decides nothing, and what was addressed to
   * the assistant stays so.
   */
  admits(input: InputRecord): boolean {
    return this.#options.channels.accountFor(input.message.origin) === undefined || this.admit(input, undefined).type !== "ignore";
  }

  /** Decides about an input; `activation` is what was chosen for its group. */
  admit(input: Pick<InputRecord, "message" | "admission">, activation: Activation | undefined): Admission {
    const { message, admission } = input;
    if (message.event.type !== "message") return { type: "ignore", reason: `events of the type ${message.event.type} are not used` };
    const account = this.#options.channels.accountFor(message.origin);
    const addressing = this.#options.channels.channelFor(message.origin)?.capabilities.addressing;
    if (account === undefined || addressing === "session-key") {
      return admission.owner ? { type: "admit" } : { type: "ignore", reason: "the channel is not configured (any more)" };
    }
    return admitMessage(message, account, {
      owner: admission.owner,
      mentionPatterns: this.#mentionPatterns(),
      ...withoutUndefined({ activation }),
    });
  }

  /** The authority of a message that a channel brings. */
  admissionOf(message: MsgContext): InputAdmission {
    const sessionKeyed = this.#options.channels.channelFor(message.origin)?.capabilities.addressing === "session-key";
    // Behind a session-key address stands the gateway's own socket, which admits only the holder of the token.
    if (sessionKeyed) return { owner: true, kind: "user", sessionKey: message.origin.conversation.id };
    return { owner: isListedOwner(message, this.#options.running.config.commands.ownerAllowFrom), kind: "user" };
  }

  /** Where an input goes, if it is admitted. */
  routeOf(input: Pick<InputRecord, "message" | "admission">): Route {
    const { message, admission } = input;
    const { channels } = this.#options;
    const { config, agents } = this.#options.running;
    if (admission.sessionKey !== undefined) {
      const sessionKey = normalizeSessionKey(admission.sessionKey);
      const agentId = admission.agentId ?? parseAgentSessionKey(sessionKey)?.agentId;
      return { sessionKey, agentId: agentId !== undefined && agents.get(agentId) !== undefined ? agentId : config.defaultAgentId };
    }
    return routeMessage(
      {
        origin: message.origin,
        senderId: message.sender.id,
        roles: message.sender.roles ?? [],
        caseSensitiveIds: channels.channelFor(message.origin)?.capabilities.caseSensitiveIds ?? true,
      },
      config,
    );
  }

  #mentionPatterns(): readonly RegExp[] {
    const patterns = this.#options.running.config.messages.groupChat.mentionPatterns;
    if (this.#mentions.patterns !== patterns) this.#mentions = { patterns, compiled: patterns.map((pattern) => new RegExp(pattern, "iu")) };
    return this.#mentions.compiled;
  }
}
