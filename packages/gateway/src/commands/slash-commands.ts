import { ModelError } from "@factotum/agent-contract";
import type { InputRecord } from "@factotum/store";
import { LaneShutdown } from "../kernel/lane-abort.ts";
import type { Notices } from "../notices/notices.ts";
import { COMMANDS } from "./command-table.ts";
import { TargetSession } from "./command-target.ts";
import type { CommandTarget, TargetSessionOptions } from "./command-target.ts";
import type { CommandCall, ParsedCommand } from "./define-command.ts";
import { notifyStopped } from "./stopped-text.ts";
import { findModel } from "./model.ts";
import type { ResetCommand } from "../conversation/parse-reset.ts";

/** The dependencies of running commands. */
export interface SlashCommandsOptions extends Omit<CommandCall, "session" | "commands" | "signal">, TargetSessionOptions {
  readonly store: CommandCall["store"];
  readonly notices: Notices;
  /** Gives the input of a command the turn of the message that it stands for. */
  readonly queueAs: (input: InputRecord, text: string) => Promise<void>;
}

const OWNER_ONLY_HERE = "Only my owner can do that here, because this conversation is shared.";

/** Runs commands of admitted senders, and answers them. */
export class SlashCommands {
  readonly #options: SlashCommandsOptions;
  readonly #closed = new AbortController();

  constructor(options: SlashCommandsOptions) {
    this.#options = options;
  }

  async run(target: CommandTarget, command: ParsedCommand): Promise<void> {
    const session = new TargetSession(target, this.#options);
    const answer = await command.run({ ...this.#options, session, commands: COMMANDS, signal: this.#closed.signal });
    if (typeof answer === "object" && "type" in answer) return this.#options.queueAs(target.input, answer.text);
    const purpose = command.isAnswerForeign === true ? "reply" : "notice";
    await this.#options.notices.answerCommand(target.sessionKey, target.input, answer, { purpose });
  }

  /** Gives up the commands that plugins still work on. They are answered after the next start. */
  close(reason: string): void {
    this.#closed.abort(new LaneShutdown(reason));
  }

  /** Refuses an owner's command with an answer. */
  async refuse({ sessionKey, input }: CommandTarget): Promise<void> {
    await this.#options.notices.answerCommand(sessionKey, input, OWNER_ONLY_HERE);
  }

  /**
   * `/new` or `/new MODEL`: starts a new conversation, and acknowledges that in it without a model call, together with what it stopped. An unusable model is
   * reported, and nothing changes. Messages after the command belong to the new conversation, however long the check of the model takes.
   */
  async reset(target: CommandTarget, { model: wish }: ResetCommand): Promise<void> {
    const { sessions, notices } = this.#options;
    const { sessionKey, input } = target;
    const session = new TargetSession(target, this.#options);
    const found = this.#findModel(wish);
    await sessions.resetOnce(sessionKey, {
      reason: "you asked for a new conversation",
      by: input.message,
      decided: found.then((model) => !ModelError.isInstance(model)),
      onReset: async (ended) => {
        await notifyStopped(target, ended, notices);
        const model = await found;
        if (ModelError.isInstance(model)) return;
        if (model === undefined) await session.ensure();
        else await session.choose({ model: model.reference });
        await notices.answerCommand(sessionKey, input, acknowledgement(model));
      },
    });
    const model = await found;
    if (!ModelError.isInstance(model)) return;
    const text = `${model.message} Nothing has changed: this is still the same conversation. /model list names the models that are configured, and /new alone keeps the model.`;
    await notices.answerCommand(sessionKey, input, text);
  }

  /** The model that a reset names: none, the configured one (`null`), that one, or why it cannot be used. */
  async #findModel(wish: string | undefined): Promise<{ readonly reference: string | null } | undefined | ModelError> {
    if (wish === undefined) return undefined;
    return wish.toLowerCase() === "default" ? { reference: null } : findModel(wish, this.#options.running.models);
  }
}

function acknowledgement(model: { readonly reference: string | null } | undefined): string {
  if (model === undefined) return "This is a new conversation.";
  return `This is a new conversation, with ${model.reference ?? "the configured model"}.`;
}
