import type { Command } from "commander";
import type * as AuthCommands from "../commands/auth.ts";
import type * as ModelCommands from "../commands/models.ts";
import type * as TokenCommands from "../commands/token.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json } from "./options.ts";

interface Format {
  readonly json?: boolean;
}

/** Keys, models and the gateway's token: `factotum auth`, `models`, `token`. */
export function addModels(program: Command, context: CliContext, finish: Finish): void {
  addAuth(program, context, finish);
  addModelCommands(program, context, finish);
  addToken(program, context, finish);
}

function addAuth(program: Command, context: CliContext, finish: Finish): void {
  const auth = program.command("auth").description("keys of model providers: set, list, test, remove");
  const load = async (): Promise<typeof AuthCommands> => import("../commands/auth.ts");
  auth
    .command("set")
    .description("test a key and keep it in a private file; asks for it at a terminal, else reads standard input")
    .argument("<provider>", "such as anthropic")
    .option("--no-check", "store it untested")
    .addOption(json())
    .action(async (provider: string, options: Format & { check: boolean }) =>
      finish(await (await load()).authSet(context, provider, { check: options.check, json: options.json === true })),
    );
  auth
    .command("list")
    .description("list the providers and where their keys stand; never a key")
    .addOption(json())
    .action(async (options: Format) => finish(await (await load()).authList(context, { json: options.json === true })));
  auth
    .command("test")
    .description("test a provider's key by calls that cost nothing")
    .argument("<provider>", "such as anthropic")
    .addOption(json())
    .action(async (provider: string, options: Format) =>
      finish(await (await load()).authTest(context, provider, { json: options.json === true })),
    );
  auth
    .command("remove")
    .description('remove a provider\'s key from the configuration, with the file that "auth set" made for it')
    .argument("<provider>", "such as anthropic")
    .addOption(json())
    .action(async (provider: string, options: Format) =>
      finish(await (await load()).authRemove(context, provider, { json: options.json === true })),
    );
}

function addModelCommands(program: Command, context: CliContext, finish: Finish): void {
  const models = program.command("models").description("models: list, test, set");
  const load = async (): Promise<typeof ModelCommands> => import("../commands/models.ts");
  models
    .command("list")
    .description("list the models of a provider, or of all that have a key; costs nothing")
    .argument("[provider]")
    .option("--known", "those that this version knows and the configuration names, without asking a provider")
    .addOption(json())
    .action(async (provider: string | undefined, options: Format & { known?: boolean }) =>
      finish(await (await load()).modelsList(context, provider, { known: options.known === true, json: options.json === true })),
    );
  models
    .command("test")
    .description("test whether a model can be asked, by calls that cost nothing; the one in use by default")
    .argument("[model]", "provider/model")
    .option("--ask", "have the running gateway ask the model one short question, too, which costs what it costs")
    .addOption(json())
    .action(async (model: string | undefined, options: Format & { ask?: boolean }) =>
      finish(await (await load()).modelsTest(context, model, { ask: options.ask === true, json: options.json === true })),
    );
  models
    .command("set")
    .description("test a model and use it from now on")
    .argument("<model>", "provider/model, or an alias")
    .option("--no-check", "set it untested")
    .addOption(json())
    .action(async (model: string, options: Format & { check: boolean }) =>
      finish(await (await load()).modelsSet(context, model, { check: options.check, json: options.json === true })),
    );
}

function addToken(program: Command, context: CliContext, finish: Finish): void {
  const token = program.command("token").description("the gateway's token: show, rotate");
  const load = async (): Promise<typeof TokenCommands> => import("../commands/token.ts");
  token
    .command("show")
    .description("print the token; whoever has it is the owner")
    .addOption(json())
    .action(async (options: Format) => finish(await (await load()).tokenShow(context, { json: options.json === true })));
  token
    .command("rotate")
    .description("replace the token; what was opened with the old one is cut off at once")
    .addOption(json())
    .action(async (options: Format) => finish(await (await load()).tokenRotate(context, { json: options.json === true })));
}
