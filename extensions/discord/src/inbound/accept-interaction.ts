import type { CallOptions, ChannelHost, MsgContext } from "@factotum/channel-contract";
import { createBoundedMap, meetDeadline, reasonOf } from "@factotum/channel-kit";
import type { UnreadableEvents } from "@factotum/channel-kit";
import type { Bot } from "../api/bot-identity.ts";
import type { DiscordApi } from "../api/discord-api.ts";
import { completionsOf } from "../command-menu.ts";
import { renderForm } from "../outbound/render-form.ts";
import type { StoredRows } from "../state/stored-rows.ts";
import type { AcceptedEvent, ReadEvent } from "./accepted-event.ts";
import { InteractionSchema } from "./event-schema.ts";
import { customIdOf, parseCommand, parsePress, parseTyped } from "./parse-interaction.ts";
import type { DiscordInteraction } from "./platform-types.ts";

/** Takes an interaction when it arrives: the platform wants an acknowledgement within 3 seconds. */
export type AcceptInteraction = (data: unknown, bot: Bot) => AcceptedEvent;

/** Acknowledgements under way: an answer that comes before its acknowledgement would be refused. */
export interface InteractionAcks {
  record(interactionId: string, acknowledged: Promise<void>): void;
  /** Resolves once the interaction is acknowledged, or cannot be. */
  settled(interactionId: string): Promise<void>;
}

/** What interactions need. */
export interface InteractionParts {
  readonly host: ChannelHost;
  readonly api: DiscordApi;
  readonly rows: StoredRows;
  readonly acks: InteractionAcks;
  readonly unreadable: UnreadableEvents;
}

const TYPE = { command: 2, component: 3, autocomplete: 4, form: 5 } as const;
const EPHEMERAL = 1 << 6;
/** The platform waits 3 seconds; a slow network gets one of them. */
const DEADLINE_MS = 2_000;
const MAX_ACKS = 1_000;
const EXPIRED = "This button does not work any more.";
const NOT_STORED = "Something went wrong; please try again.";

/** Creates an empty record. */
export function createInteractionAcks(): InteractionAcks {
  const running = createBoundedMap<string, Promise<void>>(MAX_ACKS);
  return {
    record: (id, acknowledged) => void running.set(id, acknowledged),
    settled: async (id) => running.get(id),
  };
}

/** Creates the entry point for interactions; `signal` ends its requests. */
export function createAcceptInteraction(parts: InteractionParts, { signal }: CallOptions): AcceptInteraction {
  return (data, bot) => {
    const parsed = InteractionSchema.safeParse(data);
    if (!parsed.success) parts.unreadable.record("it is not an interaction that can be read");
    // The gateway of a bot has no others; one of another application would be answered in its name.
    if (!parsed.success || parsed.data.application_id !== bot.applicationId) return NOTHING;
    return new Accepted(parts, parsed.data, { signal });
  };
}

const NOTHING: AcceptedEvent = { read: () => Promise.resolve([]), settle: () => undefined };

class Accepted implements AcceptedEvent {
  readonly #parts: InteractionParts;
  readonly #interaction: DiscordInteraction;
  readonly #options: CallOptions;
  readonly #stored = Promise.withResolvers<void>();
  #message: Promise<MsgContext | undefined> | undefined;

  constructor(parts: InteractionParts, interaction: DiscordInteraction, options: CallOptions) {
    this.#parts = parts;
    this.#interaction = interaction;
    this.#options = options;
    this.#stored.promise.catch(() => undefined);
    this.#message = this.#prepare();
    const acknowledged = this.#acknowledge(this.#message).catch((error: unknown) => this.#failed(error));
    parts.acks.record(interaction.id, acknowledged);
  }

  async read(attempt: number): Promise<readonly ReadEvent[]> {
    if (attempt > 0) this.#message = this.#prepare();
    const message = await this.#message;
    return message === undefined ? [] : [{ message }];
  }

  settle(error: Error | undefined): void {
    if (error === undefined) this.#stored.resolve();
    else this.#stored.reject(error);
  }

  /** The event to store; other interactions are answered here. */
  async #prepare(): Promise<MsgContext | undefined> {
    const { host, rows } = this.#parts;
    const interaction = this.#interaction;
    switch (interaction.type) {
      case TYPE.command:
        return parseCommand(interaction, host.accountId);
      case TYPE.autocomplete:
        this.#answer("completions", async ({ api }) => {
          const choices = completionsOf(host.commands.list(), parseTyped(interaction));
          await api.call(
            "completions",
            (sdk, given) => sdk.interactions.createAutocompleteResponse(...this.#keys, { choices: [...choices] }, given),
            this.#options,
          );
        });
        return undefined;
      case TYPE.component:
      case TYPE.form: {
        const button = await rows.cards.find(customIdOf(interaction) ?? "");
        if (button === undefined) {
          this.#answer("expired button", async ({ api }) => {
            const note = { content: EXPIRED, flags: EPHEMERAL };
            await api.call("the note", (sdk, given) => sdk.interactions.reply(...this.#keys, note, given), this.#options);
          });
          return undefined;
        }
        if (interaction.type === TYPE.form || (button.card.inputs ?? []).length === 0)
          return parsePress(interaction, button, host.accountId);
        const form = renderForm(button, customIdOf(interaction) ?? "");
        this.#answer("form", async ({ api }) => {
          await api.call("the form", (sdk, given) => sdk.interactions.createModal(...this.#keys, form, given), this.#options);
        });
        return undefined;
      }
      default:
        return undefined;
    }
  }

  /** Acknowledges what is to be stored once it is, at the deadline at the latest (R1). */
  async #acknowledge(prepared: Promise<MsgContext | undefined>): Promise<void> {
    const { api, host } = this.#parts;
    const message = await prepared;
    if (message === undefined) return;
    await meetDeadline(this.#stored.promise, {
      clock: host.clock,
      deadlineMs: DEADLINE_MS,
      onLateFailure: () =>
        this.#answer("late failure", async () => {
          const note = { content: NOT_STORED, flags: EPHEMERAL };
          const { application_id: application, token } = this.#interaction;
          await api.call("the note", (sdk, given) => sdk.interactions.followUp(application, token, note, given), this.#options);
        }),
    });
    await api.call(
      "the acknowledgement",
      (sdk, given) =>
        this.#interaction.type === TYPE.command
          ? sdk.interactions.defer(...this.#keys, {}, given)
          : sdk.interactions.deferMessageUpdate(...this.#keys, {}, given),
      this.#options,
    );
  }

  get #keys(): [id: string, token: string] {
    return [this.#interaction.id, this.#interaction.token];
  }

  #answer(what: string, send: (parts: InteractionParts) => Promise<void>): void {
    send(this.#parts).catch((error: unknown) => this.#failed(error, what));
  }

  /** The platform does not deliver it again in time: its sender sees that there was no answer. */
  #failed(error: unknown, what = "acknowledgement"): void {
    const reason = reasonOf(error);
    this.#parts.host.logger.debug("discord interaction not answered", { what, error: reason });
  }
}
