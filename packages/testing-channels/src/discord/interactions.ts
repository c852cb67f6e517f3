import { asDiscordChannel, asDiscordMember, asDiscordUser } from "./app.ts";
import type { FakeDiscordApp } from "./app.ts";
import { checkContent, checkModal } from "./checks.ts";
import type { DiscordBody } from "./checks.ts";
import type { DiscordMessage, DiscordMessageStore } from "./message-store.ts";
import { DiscordRefusal, unknownInteraction, unknownMessage, unknownWebhook } from "./refusal.ts";

/** A command, a press, a request for completions or a dialog that was filled in. */
export interface DiscordInteractionInput {
  /** 2 command, 3 press, 4 completions, 5 dialog. */
  readonly type: number;
  readonly userId: string;
  readonly channelId: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly message?: DiscordMessage;
}

/** What an application has answered. */
export interface DiscordInteractionAnswer {
  /** 4 message, 5 a message will follow, 6 nothing to show, 8 completions, 9 dialog. */
  readonly type: number;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Interaction {
  readonly input: DiscordInteractionInput;
  readonly token: string;
  readonly atMs: number;
  answer: DiscordInteractionAnswer | undefined;
  original: DiscordMessage | undefined;
}

const DEADLINE_MS = 3_000;
const TOKEN_MS = 15 * 60_000;
const EPHEMERAL = 1 << 6;

/** Interactions of people, their acknowledgement within three seconds, and answers by their token within fifteen minutes. */
export class DiscordInteractions {
  /** If set, the place of interactions is not visible to the bot. */
  readonly #app: FakeDiscordApp;
  readonly #store: DiscordMessageStore;
  readonly #known = new Map<string, Interaction>();

  constructor(app: FakeDiscordApp, store: DiscordMessageStore) {
    this.#app = app;
    this.#store = store;
  }

  /** Creates an interaction; the result is the data of its event. */
  create(input: DiscordInteractionInput): Readonly<Record<string, unknown>> & { readonly id: string } {
    const app = this.#app;
    const { type, userId, channelId, data, message } = input;
    const id = app.nextId();
    const token = `aW50ZXJhY3Rpb24${id}`;
    this.#known.set(id, { input, token, atMs: app.now(), answer: undefined, original: undefined });
    const channel = app.channels.get(channelId);
    const user = asDiscordUser(app, userId);
    const isDirect = channel?.type === 1;
    return {
      id,
      application_id: app.applicationId,
      type,
      token,
      version: 1,
      data,
      channel_id: channelId,
      ...(channel !== undefined && { channel: asDiscordChannel(app, channel) }),
      ...(isDirect ? { user } : { guild_id: app.guild.id, member: { ...asDiscordMember(app, userId), user, permissions: "0" } }),
      ...(message !== undefined && { message: { id: message.id, channel_id: channelId } }),
    };
  }

  /** The first answer to an interaction. */
  answerOf(id: string): DiscordInteractionAnswer | undefined {
    return this.#known.get(id)?.answer;
  }

  callback(id: string, token: string, body: DiscordBody): void {
    const interaction = this.#known.get(id);
    if (interaction === undefined || interaction.token !== token) throw unknownInteraction();
    if (this.#app.now() - interaction.atMs > DEADLINE_MS) throw unknownInteraction();
    if (interaction.answer !== undefined) throw new DiscordRefusal(400, 40_060, "Interaction has already been acknowledged.");
    const { type, data = {} } = body.json as { readonly type: number; readonly data?: Readonly<Record<string, unknown>> };
    if (type === 9) checkModal(data);
    if (type === 6 && interaction.input.message === undefined) throw new DiscordRefusal(400, 50_035, "Invalid Form Body");
    interaction.answer = { type, data };
    if (type === 4) interaction.original = this.#add(interaction, { json: data, files: body.files });
    if (type === 6) interaction.original = interaction.input.message;
  }

  /** Changes the first answer, or gives the one that was announced. */
  editOriginal(token: string, body: DiscordBody): DiscordMessage {
    const interaction = this.#find(token);
    if (interaction.answer === undefined || interaction.answer.type === 9) throw unknownMessage();
    if (interaction.original === undefined) {
      interaction.original = this.#add(interaction, body);
      return interaction.original;
    }
    const { content, files, buttons } = checkContent(body);
    const { original } = interaction;
    if (content !== undefined) original.content = content;
    if (buttons !== undefined) original.buttons = buttons;
    if (files.length > 0) original.files = files.map((file) => ({ ...file, id: this.#app.nextId() }));
    original.edits += 1;
    return original;
  }

  followUp(token: string, body: DiscordBody): DiscordMessage {
    const interaction = this.#find(token);
    if (interaction.answer === undefined) throw unknownWebhook();
    return this.#add(interaction, body);
  }

  #find(token: string): Interaction {
    const interaction = [...this.#known.values()].find((one) => one.token === token);
    if (interaction === undefined) throw unknownWebhook();
    if (this.#app.now() - interaction.atMs > TOKEN_MS) throw new DiscordRefusal(401, 50_027, "Invalid Webhook Token");
    return interaction;
  }

  #add({ input }: Interaction, body: DiscordBody): DiscordMessage {
    const { content = "", files, buttons = [], flags = 0, allowedMentions } = checkContent(body);
    if (content === "" && files.length === 0) throw new DiscordRefusal(400, 50_006, "Cannot send an empty message");
    return this.#store.add({
      channelId: (flags & EPHEMERAL) === 0 ? input.channelId : `only-for-${input.userId}`,
      authorId: this.#app.bot.id,
      webhookId: this.#app.applicationId,
      content,
      files: files.map((file) => ({ ...file, id: this.#app.nextId() })),
      buttons,
      flags,
      allowedMentions,
    });
  }
}
