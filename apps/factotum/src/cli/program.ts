import { join } from "node:path";
import { Argument, type Command, Option } from "commander";
import type * as ConfigCommands from "../commands/config.ts";
import { LOG_LEVELS, type LogLevel } from "../runtime/log-line.ts";
import { addAccess } from "./add-access.ts";
import { addAcp } from "./add-acp.ts";
import { addAgents } from "./add-agents.ts";
import { addBackup } from "./add-backup.ts";
import { addBuild } from "./add-build.ts";
import { addChannels } from "./add-channels.ts";
import { addCommands } from "./add-commands.ts";
import { addCron } from "./add-cron.ts";
import { addMedia } from "./add-media.ts";
import { addDamage } from "./add-damage.ts";
import { addDeadLetters } from "./add-dead-letters.ts";
import { addFiles } from "./add-files.ts";
import { addLsp } from "./add-lsp.ts";
import { addMcp } from "./add-mcp.ts";
import { addMemory } from "./add-memory.ts";
import { addModels } from "./add-models.ts";
import { addApprovals } from "./add-approvals.ts";
import { addPairing } from "./add-pairing.ts";
import { addPlugins } from "./add-plugins.ts";
import { addSandbox } from "./add-sandbox.ts";
import { addTools } from "./add-tools.ts";
import { addSessions } from "./add-sessions.ts";
import { addSubagents } from "./add-subagents.ts";
import { addUsage } from "./add-usage.ts";
import { addWebhooks } from "./add-webhooks.ts";
import { addSkills } from "./add-skills.ts";
import { addHeartbeat } from "./add-heartbeat.ts";
import { addSystem } from "./add-system.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { assetPath } from "../runtime/assets.ts";
import { CliCommand } from "./cli-command.ts";
import { EXAMPLES } from "./examples.ts";
import { json, port, positive } from "./options.ts";
import { SHELLS, type Shell } from "./shells.ts";

/** The whole command line. Every command's code is loaded only when it runs. */
export function createProgram(context: CliContext, finish: Finish): Command {
  const program = new CliCommand("factotum")
    .description("A personal AI assistant that lives in the chats you already use.")
    .version(context.version, "-v, --version", "print the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand("help [command]", "show help for a command")
    .showHelpAfterError("Run it with --help to see what there is.")
    .configureOutput({ writeOut: context.print, writeErr: context.note })
    .exitOverride();
  addSetup(program, context, finish);
  addModels(program, context, finish);
  addAccess(program, context, finish);
  addPairing(program, context, finish);
  addApprovals(program, context, finish);
  addChannels(program, context, finish);
  addPlugins(program, context, finish);
  addSkills(program, context, finish);
  addMcp(program, context, finish);
  addAcp(program, context, finish);
  addLsp(program, context, finish);
  addGateway(program, context, finish);
  addAgent(program, context, finish);
  addAgents(program, context, finish);
  addSubagents(program, context, finish);
  addFiles(program, context, finish);
  addContext(program, context, finish);
  addDeadLetters(program, context, finish);
  addCron(program, context, finish);
  addMemory(program, context, finish);
  addHeartbeat(program, context, finish);
  addSystem(program, context, finish);
  addWebhooks(program, context, finish);
  addDamage(program, context, finish);
  addMedia(program, context, finish);
  addSessions(program, context, finish);
  addSandbox(program, context, finish);
  addTools(program, context, finish);
  addCommands(program, context, finish);
  addUsage(program, context, finish);
  addBackup(program, context, finish);
  addBuild(program, context, finish);
  addConfig(program, context, finish);
  addReset(program, context, finish);
  addReports(program, context, finish);
  addLogs(program, context, finish);
  addSelf(program, context);
  for (const command of program.commands) inherit(command, program, command.name());
  addExamples(program, "");
  program.addHelpText("after", () => `\nEvery command, exit code and variable: ${join(assetPath("documentation"), "cli.md")}`);
  return program;
}

function addSetup(program: Command, context: CliContext, finish: Finish): void {
  program
    .command("setup")
    .description("set up a model, the assistant's name and the gateway in guided steps; can be repeated")
    .option(
      "--non-interactive",
      "ask nothing: create the configuration and the workspaces, change nothing that exists; the default without a terminal",
    )
    .addOption(json())
    .action(async (options: { nonInteractive?: boolean; json?: boolean }) => {
      const { setup } = await import("../commands/setup.ts");
      finish(await setup(context, { json: options.json === true, interactive: options.nonInteractive !== true }));
    });
}

function addGateway(program: Command, context: CliContext, finish: Finish): void {
  const gateway = program.command("gateway").description("run and control the gateway");
  gateway
    .command("run")
    .description("run the gateway in the foreground")
    .addOption(new Option("--port <number>", "listen on this port; 0 picks a free one").argParser(port))
    .option("--bind <where>", "loopback, lan or an IP address of this machine")
    .option("--setup", "create the configuration and the workspaces first if they are missing")
    .option("--hide-token", "print the address without the token, for output that goes to a log")
    .option("--quiet", "log to the file only, not to standard error")
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
    const command = gateway.command(action).description(description);
    if (action === "start") command.addOption(new Option("--port <number>", "listen on this port; 0 picks a free one").argParser(port));
    command.addOption(json()).action(async (options: { port?: number; json?: boolean }) => {
      const { gatewayControl } = await import("../commands/gateway-control.ts");
      finish(await gatewayControl(context, action, { ...options, json: options.json === true }));
    });
  }
  gateway
    .command("install")
    .description("let the system start the gateway with your session (systemd, launchd), and wait until it takes work")
    .addOption(new Option("--port <number>", "the service's port; that of a running gateway by default").argParser(port))
    .option("--store-keys", "keep keys of this shell's environment in private files without asking")
    .addOption(json())
    .action(async (options: { port?: number; storeKeys?: boolean; json?: boolean }) => {
      const { installService } = await import("../commands/gateway-service.ts");
      finish(await installService(context, { ...options, storeKeys: options.storeKeys === true, json: options.json === true }));
    });
  gateway
    .command("uninstall")
    .description("take the system's service away; configuration and conversations stay")
    .addOption(json())
    .action(async (options: { json?: boolean }) => {
      const { uninstallService } = await import("../commands/gateway-service.ts");
      finish(await uninstallService(context, { json: options.json === true }));
    });
}

function addAgent(program: Command, context: CliContext, finish: Finish): void {
  program
    .command("agent")
    .description("say something to an agent and wait for the answer")
    .requiredOption("-m, --message <text>", "the message")
    .option("--agent <id>", "the agent; the default agent if omitted")
    .option("--session <key>", "the session; the agent's main session by default")
    .addOption(json())
    .action(async (options: { message: string; agent?: string; session?: string; json?: boolean }) => {
      const { agent } = await import("../commands/agent.ts");
      finish(await agent(context, { ...options, json: options.json === true }));
    });
}

function addContext(program: Command, context: CliContext, finish: Finish): void {
  program
    .command("context")
    .description("show what the model was given: the parts with their sizes, cache, cost, and changes")
    .option("--session <key>", "the session; the default agent's main session by default")
    .option("--turn <turn>", "the turn's number in the conversation, or its id; the newest request by default")
    .addOption(new Option("--request <number>", "the request's number in the turn; the last one by default").argParser(positive))
    .addOption(
      new Option("--diff [turn]", "compare with this turn, or with the previous request")
        .preset("previous")
        .argParser((value: string) => (value === "previous" ? value : positive(value))),
    )
    .option("--texts", "include the texts; secrets are hidden")
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
    .command("trace")
    .description("show what is stored of a message, from its event to the receipts of its answer")
    .argument("[turn]", "the turn's number in the conversation, or its id; the newest one by default")
    .option("--session <key>", "the session; the default agent's main session by default")
    .addOption(json())
    .action(async (turn: string | undefined, options: { session?: string; json?: boolean }) => {
      const command = await import("../commands/trace.ts");
      finish(await command.trace(context, { ...options, ...(turn === undefined ? {} : { turn }), json: options.json === true }));
    });
  program
    .command("replay")
    .description("send a stored request again and print the answer, without changing the conversation or running tools")
    .argument("<turn>", "the turn's number in the conversation, or its id")
    .option("--session <key>", "the session, for a turn given by number; the default agent's main session by default")
    .addOption(new Option("--request <number>", "the request's number in the turn; the last one by default").argParser(positive))
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
    .description("set a key; comments stay, and the previous version is kept")
    .argument("<key>", "such as gateway.port")
    .argument("<value>", "JSON5, or plain text")
    .addOption(json())
    .action(async (key: string, value: string, options: { json?: boolean }) =>
      finish(await (await load()).configSet(context, { key, value }, { json: options.json === true })),
    );
  config
    .command("unset")
    .description("remove a key, which restores its default")
    .argument("<key>")
    .addOption(json())
    .action(async (key: string, options: { json?: boolean }) =>
      finish(await (await load()).configSet(context, { key }, { json: options.json === true })),
    );
  config
    .command("schema")
    .description("print the JSON Schema of the file, for editors")
    .option("--forms", "with titles, and marks of secrets and of keys that need a restart, as the page takes it")
    .action(async (options: { forms?: boolean }) => finish(await (await load()).configSchema(context, { forms: options.forms === true })));
  config
    .command("patch")
    .description("change several keys at once, by a JSON merge patch on standard input; null removes a key")
    .option("--base <hash>", "refuse the change if the file has another hash")
    .option("--dry-run", "only show what would change")
    .addOption(json())
    .action(async (options: { base?: string; dryRun?: boolean; json?: boolean }) => {
      const { configPatch } = await import("../commands/config-patch.ts");
      finish(await configPatch(context, { ...options, dryRun: options.dryRun === true, json: options.json === true }));
    });
  config
    .command("reference")
    .description("print what every key means, as Markdown")
    .action(async () => finish(await (await load()).configReference(context)));
}

function addReset(program: Command, context: CliContext, finish: Finish): void {
  program
    .command("reset")
    .description("start over: move conversations, snapshots and received files aside; stop the gateway first")
    .requiredOption("--state", "what to reset; configuration, credentials and workspaces stay")
    .option("--yes", "skip the confirmation")
    .addOption(json())
    .action(async (options: { yes?: boolean; json?: boolean }) => {
      const { resetState } = await import("../commands/reset.ts");
      finish(await resetState(context, { yes: options.yes === true, json: options.json === true }));
    });
}

function addReports(program: Command, context: CliContext, finish: Finish): void {
  program
    .command("doctor")
    .description("find problems and say how to fix them; changes nothing without --fix")
    .option("--fix", "repair what is safe: modes of files, missing folders, the note of a damaged database")
    .addOption(json())
    .action(async (options: { json?: boolean; fix?: boolean }) => {
      const { doctor } = await import("../commands/doctor.ts");
      finish(await doctor(context, { json: options.json === true, fix: options.fix === true }));
    });
  program
    .command("status")
    .description("show what the gateway is doing, or what is on disk when it is down")
    .addOption(json())
    .action(async (options: { json?: boolean }) => {
      const { status } = await import("../commands/status.ts");
      finish(await status(context, { json: options.json === true }));
    });
}

function addLogs(program: Command, context: CliContext, finish: Finish): void {
  program
    .command("logs")
    .description("show the gateway's log, even when it is not running")
    .option("--follow", "keep printing new lines until you stop it")
    .addOption(new Option("--lines <number>", "how many lines from the end").default(100).argParser(positive))
    .addOption(new Option("--level <level>", "the lowest level to show").choices(LOG_LEVELS).default("debug"))
    .option("--source <name>", "only lines about an account, an agent, a session and so on; the beginning is enough")
    .option("--text <text>", "only lines with this text, ignoring case")
    .addOption(new Option("--json", "print the raw lines, one JSON object each"))
    .action(async (options: { follow?: boolean; lines: number; level: LogLevel; source?: string; text?: string; json?: boolean }) => {
      const { logs } = await import("../commands/logs.ts");
      finish(await logs(context, { ...options, follow: options.follow === true, json: options.json === true }));
    });
}

/** Adds version, help and description of the command itself. */
function addSelf(program: Command, context: CliContext): void {
  program
    .command("version")
    .description("print the version")
    .action(() => context.print(`${context.version}\n`));
  program
    .command("completion")
    .description("print the completion of this command for a shell")
    .addArgument(new Argument("<shell>").choices(SHELLS))
    .action(async (shell: Shell) => {
      const { renderCompletion } = await import("./render-completion.ts");
      context.print(renderCompletion(program, shell));
    });
}

/** Applies the root's settings for output, errors and help to every command, and adds its examples. */
function inherit(command: Command, parent: Command, path: string): void {
  command.copyInheritedSettings(parent);
  addExamples(command, path);
  for (const child of command.commands) inherit(child, command, `${path} ${child.name()}`);
}

function addExamples(command: Command, path: string): void {
  const examples = EXAMPLES[path];
  if (examples !== undefined) command.addHelpText("after", `\nExamples:\n${examples.map((line) => `  $ ${line}`).join("\n")}`);
}
