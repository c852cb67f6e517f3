import { ModelError } from "@factotum/agent-contract";
import type { Notices } from "../notices/notices.ts";
import { COMMANDS } from "./command-table.ts";
import { TargetSession } from "./command-target.ts";
import type { CommandTarget, TargetSessionOptions } from "./command-target.ts";
import type { CommandCall, ParsedCommand } from "./define-command.ts";
import { tellEnded } from "./ended-text.ts";
import { findModel } from "./model.ts";

/** What commands are run and answered with. */
export interface SlashCommandsOptions extends Omit<CommandCall, "session" | "commands">, TargetSessionOptions {
  readonly store: CommandCall["store"];
  readonly notices: Notices;
}

const OWNER_ONLY_HERE = "Only my owner can do that here, because this conversation is shared.";

/** Runs commands of people who may talk here, and answers them. */
export class SlashCommands {
  readonly #options: SlashCommandsOptions;

  constructor(options: SlashCommandsOptions) {
    this.#options = options;
  }

  async run(target: CommandTarget, command: ParsedCommand): Promise<void> {
    const session = new TargetSession(target, this.#options);
    const text = await command.run({ ...this.#options, session, commands: COMMANDS });
    await this.#options.notices.answerCommand(target.sessionKey, target.input, text);
  }

  /** Answers a command that is the owner's here without doing anything. */
  async refuse({ sessionKey, input }: CommandTarget): Promise<void> {
    await this.#options.notices.answerCommand(sessionKey, input, OWNER_ONLY_HERE);
  }

  /** `/new`: begins the conversation anew, and says what that has ended. */
  async reset(target: CommandTarget): Promise<void> {
    const { sessions, notices } = this.#options;
    await sessions.reset(target.sessionKey, {
      reason: "you asked for a new conversation",
      by: target.input.message,
      onEnded: async (ended) => tellEnded(target, ended, notices),
    });
  }

  /**
   * `/new MODEL`: begins the conversation anew with that model, and then `greet`s. A model that cannot be had is named, and nothing changes. What is said
   * behind the command belongs to the new conversation, however long the model is looked for.
   */
  async resetWithModel(target: CommandTarget, wish: string, greet: () => void): Promise<void> {
    const { sessions, running, notices } = this.#options;
    const { sessionKey, input } = target;
    const isDefault = wish.toLowerCase() === "default";
    const found = isDefault ? Promise.resolve(undefined) : findModel(wish, running.models);
    await sessions.resetOnce(sessionKey, {
      reason: "you asked for a new conversation",
      by: input.message,
      decided: found.then((model) => !ModelError.isInstance(model)),
      onReset: async (ended) => {
        await tellEnded(target, ended, notices);
        const model = await found;
        const chosen = model === undefined || ModelError.isInstance(model) ? null : model.reference;
        await new TargetSession(target, this.#options).choose({ model: chosen });
        greet();
      },
    });
    const model = await found;
    if (!ModelError.isInstance(model)) return;
    const text = `${model.message} Nothing has changed: this is still the same conversation. /model list names the models that are configured, and /new alone keeps the model.`;
    await notices.answerCommand(sessionKey, input, text);
  }
}
