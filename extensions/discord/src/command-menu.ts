import type { CallOptions, ChannelHost, HostCommand } from "@factotum/channel-contract";
import { createCommandRegistrar } from "@factotum/channel-kit";
import type { CommandRegistrar } from "@factotum/channel-kit";
import * as z from "zod";
import type { DiscordBot } from "./api/bot-identity.ts";
import type { DiscordApi } from "./api/discord-api.ts";
import { ARGUMENTS_OPTION } from "./inbound/parse-interaction.ts";
import type { TypedCommand } from "./inbound/parse-interaction.ts";

const MAX_COMMANDS = 100;
const MAX_DESCRIPTION = 100;
/** Choices that the platform shows. */
const MAX_CHOICES = 25;
const MAX_CHOICE_LENGTH = 100;

const CommandsSchema = z.array(
  z.looseObject({
    name: z.string(),
    description: z.string(),
    type: z.number().optional(),
    options: z.array(z.looseObject({ name: z.string(), autocomplete: z.boolean().optional() })).optional(),
  }),
);

/** Keeps the bot's slash commands equal to the gateway's. Each has one option, for the text after its name. */
export function createCommandMenu({
  api,
  bot,
  host,
}: {
  readonly api: DiscordApi;
  readonly bot: DiscordBot;
  readonly host: ChannelHost;
}): CommandRegistrar {
  const { clock, logger, random } = host;
  const listed = (): readonly HostCommand[] =>
    host.commands.list().map(({ name, summary }) => ({ name: name.toLowerCase(), summary: summary.trim() || name }));
  return createCommandRegistrar(
    { clock, logger, random, commands: { list: listed, onChange: (callback) => host.commands.onChange(callback) } },
    {
      maxCommands: MAX_COMMANDS,
      name: /^[-_'\p{L}\p{N}]{1,32}$/u,
      summaryLength: MAX_DESCRIPTION,
      async read(options) {
        const { applicationId } = await bot.get(options);
        const commands = CommandsSchema.parse(
          await api.call("the commands", (sdk, given) => sdk.applicationCommands.getGlobalCommands(applicationId, {}, given), options),
        );
        const isOurs = commands.every(
          ({ name, type = 1, options: [option, ...more] = [] }) =>
            type === 1 &&
            more.length === 0 &&
            option?.name === ARGUMENTS_OPTION &&
            (option.autocomplete ?? false) === hasWords(host.commands.list(), name),
        );
        // Commands of another form are written again. The platform's order is its own.
        return isOurs ? inOrder(commands, listed()).map(({ name, description }) => ({ name, summary: description })) : [];
      },
      async write(menu, options) {
        const { applicationId } = await bot.get(options);
        const commands = menu.map(({ name, summary: description }) => ({
          name,
          description,
          type: 1,
          contexts: [0, 1],
          integration_types: [0],
          options: [
            {
              type: 3,
              name: ARGUMENTS_OPTION,
              description: "what follows the command",
              required: false,
              autocomplete: hasWords(host.commands.list(), name),
            },
          ],
        }));
        await overwrite(api, applicationId, commands, options);
      },
    },
  );
}

/** Words that follow a command, as its summary names them: `list` and `default` of `/model list …, /model default …`. */
export function completionsOf(
  commands: readonly HostCommand[],
  typed: TypedCommand | undefined,
): readonly { readonly name: string; readonly value: string }[] {
  if (typed === undefined) return [];
  const written = typed.text.trim().toLowerCase();
  const words = wordsOf(commands, typed.name).filter((word) => word.startsWith(written));
  // What is typed stays possible.
  const choices = written === "" || words.includes(written) ? words : [...words, typed.text.trim()];
  return choices
    .slice(0, MAX_CHOICES)
    .filter(({ length }) => length <= MAX_CHOICE_LENGTH)
    .map((word) => ({ name: word, value: word }));
}

function wordsOf(commands: readonly HostCommand[], name: string): readonly string[] {
  const summary = commands.find((command) => command.name.toLowerCase() === name)?.summary ?? "";
  const found = summary.matchAll(new RegExp(String.raw`/${RegExp.escape(name)} ([a-z][a-z-]*)`, "gi"));
  const words = Array.from(found, ([, word = ""]) => word.toLowerCase());
  return [...new Set(words)];
}

function hasWords(commands: readonly HostCommand[], name: string): boolean {
  return wordsOf(commands, name).length > 0;
}

function inOrder<T extends { readonly name: string }>(commands: readonly T[], order: readonly HostCommand[]): readonly T[] {
  const place = new Map(order.map(({ name }, index) => [name, index]));
  return commands.toSorted((left, right) => (place.get(left.name) ?? order.length) - (place.get(right.name) ?? order.length));
}

async function overwrite(api: DiscordApi, applicationId: string, commands: readonly object[], options: CallOptions): Promise<void> {
  await api.call(
    "the commands",
    (sdk, given) => sdk.applicationCommands.bulkOverwriteGlobalCommands(applicationId, commands as never, given),
    options,
  );
}
