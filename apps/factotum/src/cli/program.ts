import { Command, Option } from "commander";
import type * as ConfigCommands from "../commands/config.ts";
import { LOG_LEVELS, type LogLevel } from "../runtime/log-line.ts";
import { addDamage } from "./add-damage.ts";
import { addDeadLetters } from "./add-dead-letters.ts";
import { addSessions } from "./add-sessions.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json, port, positive } from "./options.ts";

/** The whole command line. Every command's code is loaded when it runs, and not before. */
export function createProgram(context: CliContext, finish: Finish): Command {
  const program = new Command("factotum")
    .description("A personal AI assistant that lives in the chats you already use.")
    .version(context.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand("help [command]", "show help for a command")
    .showHelpAfterError("Run it with --help to see what there is.")
    .configureOutput({ writeOut: context.print, writeErr: context.note })
    .exitOverride();
  addSetup(program, context, finish);
  addGateway(program, context, finish);
  addAgent(program, context, finish);
  addContext(program, context, finish);
  addDeadLetters(program, context, finish);
  addDamage(program, context, finish);
  addSessions(program, context, finish);
  addConfig(program, context, finish);
  addReset(program, context, finish);
  addReports(program, context, finish);
  addLogs(program, context, finish);
  for (const command of program.commands) inherit(command, program);
  return program;
}

function addSetup(program: Command, context: CliContext, finish: Finish): void {
  program
    .command("setup")
    .description("make the configuration and the workspaces; nothing that is there is changed, nothing is asked")
    .addOption(json())
    .action(async (options: { json?: boolean }) => {
      const { setup } = await import("../commands/setup.ts");
      finish(await setup(context, { json: options.json === true }));
    });
}

function addGateway(program: Command, context: CliContext, finish: Finish): void {
  const gateway = program.command("gateway").description("run and control the gateway");
  gateway
    .command("run")
    .description("run the gateway in the foreground")
    .addOption(new Option("--port <number>", "listen on this port; 0 takes a free one").argParser(port))
    .option("--bind <where>", "loopback, lan or an IP address of this machine")
    .option("--setup", "first make the configuration and the workspaces where they are missing")
    .option("--hide-token", "print the address without the token, for output that goes to a log")
    .option("--quiet", "tell what happens in the log file alone, and not on standard error")
    .action(async (options: { port?: number; bind?: string; setup?: boolean; hideToken?: boolean; quiet?: boolean }) => {
      const { gatewayRun } = await import("../commands/gateway-run.ts");
      const { setup, hideToken, quiet } = options;
      finish(await gatewayRun(context, { ...options, setup: setup === true, hideToken: hideToken === true, quiet: quiet === true }));
    });
  const control = [
    ["status", "say whether the gateway runs, and where"],
    ["start", "start the gateway in the background: the service if it is installed, else a process of its own"],
    ["stop", "let the gateway finish what it does, and end it"],
    ["restart", "stop the gateway and start it again"],
  ] as const;
  for (const [action, description] of control) {
    gateway
      .command(action)
      .description(description)
      .addOption(json())
      .action(async (options: { json?: boolean }) => {
        const { gatewayControl } = await import("../commands/gateway-control.ts");
        finish(await gatewayControl(context, action, { json: options.json === true }));
      });
  }
  const service = [
    ["install", "let the system start the gateway with your session (systemd, launchd)"],
    ["uninstall", "take the system's service away; configuration and conversations stay"],
  ] as const;
  for (const [action, description] of service) {
    gateway
      .command(action)
      .description(description)
      .addOption(json())
      .action(async (options: { json?: boolean }) => {
        const { gatewayService } = await import("../commands/gateway-service.ts");
        finish(await gatewayService(context, action, { json: options.json === true }));
      });
  }
}

function addAgent(program: Command, context: CliContext, finish: Finish): void {
  program
    .command("agent")
    .description("say something to an agent and wait for the answer")
    .requiredOption("-m, --message <text>", "what to say")
    .option("--agent <id>", "the agent; the default one when left out")
    .option("--session <key>", "the session; the agent's main session when left out")
    .addOption(json())
    .action(async (options: { message: string; agent?: string; session?: string; json?: boolean }) => {
      const { agent } = await import("../commands/agent.ts");
      finish(await agent(context, { ...options, json: options.json === true }));
    });
}

function addContext(program: Command, context: CliContext, finish: Finish): void {
  program
    .command("context")
    .description("what the model was given: its parts with their sizes, the cache, the cost, and what changed")
    .option("--session <key>", "the session; the default agent's main session when left out")
    .option("--turn <turn>", "the turn's number in the conversation, or its id; the newest request when left out")
    .addOption(new Option("--request <number>", "the request's number in the turn; the last one when left out").argParser(positive))
    .addOption(
      new Option("--diff [turn]", "compare with this turn; with the request before when none is named")
        .preset("previous")
        .argParser((value: string) => (value === "previous" ? value : positive(value))),
    )
    .option("--texts", "show the texts too; secrets are hidden")
    .addOption(json())
    .action(
      async (options: {
        session?: string;
        turn?: string;
        request?: number;
        diff?: number | "previous";
        texts?: boolean;
        json?: boolean;
      }) => {
        const command = await import("../commands/context.ts");
        finish(await command.context(context, { ...options, texts: options.texts === true, json: options.json === true }));
      },
    );
  program
    .command("replay")
    .description("send a kept request again and print the answer; the conversation does not change, no tool is run")
    .argument("<turn>", "the turn's number in the conversation, or its id")
    .option("--session <key>", "the session of a turn that is given by its number; the default agent's main session when left out")
    .addOption(new Option("--request <number>", "the request's number in the turn; the last one when left out").argParser(positive))
    .option("--model <reference>", "send it to this model instead")
    .addOption(json())
    .action(async (turn: string, options: { session?: string; request?: number; model?: string; json?: boolean }) => {
      const { replay } = await import("../commands/replay.ts");
      finish(await replay(context, { turn, ...options, json: options.json === true }));
    });
}

function addConfig(program: Command, context: CliContext, finish: Finish): void {
  const config = program.command("config").description("read, check and change the configuration");
  const load = async (): Promise<typeof ConfigCommands> => import("../commands/config.ts");
  config
    .command("validate")
    .description("check the file; unknown keys are errors here")
    .addOption(json())
    .action(async (options: { json?: boolean }) => finish(await (await load()).configValidate(context, { json: options.json === true })));
  config
    .command("get")
    .description("print the value of a key, or the whole file; secrets are hidden")
    .argument("[key]", "such as agents.list[0].model")
    .addOption(json())
    .action(async (key: string | undefined, options: { json?: boolean }) =>
      finish(await (await load()).configGet(context, key, { json: options.json === true })),
    );
  config
    .command("set")
    .description("set a key; comments in the file stay, and the version before is kept")
    .argument("<key>", "such as gateway.port")
    .argument("<value>", "JSON5, or a text as it is")
    .addOption(json())
    .action(async (key: string, value: string, options: { json?: boolean }) =>
      finish(await (await load()).configSet(context, { key, value }, { json: options.json === true })),
    );
  config
    .command("unset")
    .description("remove a key, so that its default holds again")
    .argument("<key>")
    .addOption(json())
    .action(async (key: string, options: { json?: boolean }) =>
      finish(await (await load()).configSet(context, { key }, { json: options.json === true })),
    );
  config
    .command("schema")
    .description("print the JSON Schema of the file, for editors")
    .action(async () => finish(await (await load()).configSchema(context)));
  config
    .command("reference")
    .description("print what every key means, as Markdown")
    .action(async () => finish(await (await load()).configReference(context)));
}

function addReset(program: Command, context: CliContext, finish: Finish): void {
  program
    .command("reset")
    .description("begin empty: move conversations, snapshots and received files aside; the gateway must be stopped")
    .requiredOption("--state", "what is reset; configuration, credentials and workspaces stay")
    .option("--yes", "do not ask")
    .addOption(json())
    .action(async (options: { yes?: boolean; json?: boolean }) => {
      const { resetState } = await import("../commands/reset.ts");
      finish(await resetState(context, { yes: options.yes === true, json: options.json === true }));
    });
}

function addReports(program: Command, context: CliContext, finish: Finish): void {
  program
    .command("doctor")
    .description("look for what is wrong and say how to put it right; changes nothing")
    .addOption(json())
    .action(async (options: { json?: boolean }) => {
      const { doctor } = await import("../commands/doctor.ts");
      finish(await doctor(context, { json: options.json === true }));
    });
  program
    .command("status")
    .description("what the gateway is doing; when it is down, what is on disk")
    .addOption(json())
    .action(async (options: { json?: boolean }) => {
      const { status } = await import("../commands/status.ts");
      finish(await status(context, { json: options.json === true }));
    });
}

function addLogs(program: Command, context: CliContext, finish: Finish): void {
  program
    .command("logs")
    .description("show the gateway's log; it need not run")
    .option("--follow", "go on with what is written, until you stop it")
    .addOption(new Option("--lines <number>", "how many of the last lines").default(100).argParser(positive))
    .addOption(new Option("--level <level>", "nothing that matters less").choices(LOG_LEVELS).default("debug"))
    .addOption(new Option("--json", "print the lines as they are, a JSON object each"))
    .action(async (options: { follow?: boolean; lines: number; level: LogLevel; json?: boolean }) => {
      const { logs } = await import("../commands/logs.ts");
      finish(await logs(context, { ...options, follow: options.follow === true, json: options.json === true }));
    });
}

/** What the root decides about output, errors and help holds for every command. */
function inherit(command: Command, parent: Command): void {
  command.copyInheritedSettings(parent);
  for (const child of command.commands) inherit(child, command);
}
