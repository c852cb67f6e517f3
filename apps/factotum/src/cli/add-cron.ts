import { THINKING_LEVELS, withoutUndefined } from "@factotum/agent-contract";
import { InvalidArgumentError, Option, type Command } from "commander";
import type * as CronCommands from "../commands/cron.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json, positive } from "./options.ts";

type JobOptions = Omit<CronCommands.JobOptions, "argv"> & { readonly json?: boolean };

/** Scheduled jobs: `factotum cron`. */
export function addCron(program: Command, context: CliContext, finish: Finish): void {
  const cron = program.command("cron").description("scheduled jobs: list, get, add, update, remove, run, runs, next");
  const load = async (): Promise<typeof CronCommands> => import("../commands/cron.ts");
  cron
    .command("list")
    .description("list the jobs with their next and last run")
    .option("--agent <id>", "the jobs of this agent; of all if omitted")
    .addOption(json())
    .action(async ({ agent, json: asJson }: { agent?: string; json?: boolean }) =>
      finish(await (await load()).cronList(context, { json: asJson === true, ...withoutUndefined({ agentId: agent }) })),
    );
  withJobOptions(
    cron
      .command("add")
      .description("make a job; it reports to your newest direct conversation with the assistant, unless --to names another")
      .argument("<name>", "unique among the jobs of the agent")
      .argument("[program...]", "after --: a program and its arguments, whose output is sent; no shell, no model")
      .option("--agent <id>", "the agent; the default agent if omitted"),
  ).action(async (name: string, argv: string[], { json: asJson, ...options }: JobOptions & { agent?: string }) =>
    finish(await (await load()).cronAdd(context, { ...options, ...given(argv), name, json: asJson === true })),
  );
  withJobOptions(
    cron
      .command("update")
      .description("change the given parts of a job")
      .argument("<job>", "its id, or its name")
      .argument("[program...]", "after --: another program and its arguments")
      .option("--name <name>", "another name")
      .addOption(new Option("--enabled", "run it again").conflicts("disabled"))
      .option("--disabled", "keep it, but do not run it")
      .option("--unset <parts...>", "parts that take their default, such as check or model"),
  ).action(async (job: string, argv: string[], { json: asJson, ...options }: CronCommands.ChangeOptions & { json?: boolean }) =>
    finish(await (await load()).cronUpdate(context, job, { ...options, ...given(argv), json: asJson === true })),
  );
  const addOne = (name: "get" | "remove" | "run", description: string): void => {
    cron
      .command(name)
      .description(description)
      .argument("<job>", "its id, or its name")
      .addOption(json())
      .action(async (job: string, options: { json?: boolean }) =>
        finish(await (await load()).cronOne(context, name, { job, json: options.json === true })),
      );
  };
  addOne("get", "show a job completely");
  addOne("remove", "remove a job with its outcomes, and stop its run");
  addOne("run", "run a job now, besides its schedule, to see what it does");
  cron
    .command("runs")
    .description("what became of each time that a job was due, newest first")
    .argument("<job>", "its id, or its name")
    .addOption(new Option("--limit <number>", "how many, up to 200; 20 by default").argParser(positive))
    .addOption(json())
    .action(async (job: string, { limit, json: asJson }: { limit?: number; json?: boolean }) =>
      finish(await (await load()).cronRuns(context, { job, json: asJson === true, ...withoutUndefined({ limit }) })),
    );
  addNext(cron, load, context, finish);
}

function addNext(cron: Command, load: () => Promise<typeof CronCommands>, context: CliContext, finish: Finish): void {
  withSchedule(cron.command("next").description("the next times of a schedule, before you make a job of it"))
    .addOption(new Option("--count <number>", "how many, up to 100; 10 by default").argParser(positive))
    .option("--agent <id>", "in this agent's time zone; the default agent's if omitted")
    .addOption(json())
    .action(async ({ json: asJson, ...options }: CronCommands.NextOptions & { json?: boolean }) =>
      finish(await (await load()).cronNext(context, { ...options, json: asJson === true })),
    );
}

function withSchedule(command: Command): Command {
  return command
    .option("--at <time>", "once: an ISO time, or a duration from now such as 20m")
    .option("--every <duration>", "in elapsed time, such as 2h")
    .option("--anchor <time>", "with --every: the time from which it counts; now if omitted")
    .option("--cron <expression>", "cron expression of 5 or 6 fields, local time")
    .option("--timezone <zone>", "such as Europe/Berlin; the agent's if omitted");
}

function withJobOptions(command: Command): Command {
  return withSchedule(command)
    .option("--exact", "with --cron: not spread over five minutes at the full hour")
    .option("--task <text>", "what a model is to do; its answer is sent")
    .option("--text <text>", "a text that is sent as it is")
    .option("--event <text>", "what the next heartbeat is told")
    .addOption(new Option("--wake <mode>", "with --event: whether the heartbeat runs at once").choices(["now", "next-heartbeat"]))
    .option("--cwd <folder>", "where the program runs; the agent's workspace if omitted")
    .option("--description <text>", "what it is for")
    .option("--to <address>", "who gets the outcome, such as telegram:4711")
    .option("--webhook <url>", "post the outcome to this address instead")
    .option("--webhook-secret-file <path>", "sign the posts with the text of this file")
    .option("--silent", "send the outcome nowhere")
    .addOption(new Option("--check <program>", "run only if it exits with 0: a path, or a JSON array with arguments").argParser(program))
    .option("--check-url <url>", "run only if this address answers with 2xx")
    .option("--check-file <path>", "run only if this file has changed")
    .option("--session <key>", "isolated (default), main, or the key of a session")
    .option("--model <name>", "the model of its runs")
    .addOption(new Option("--thinking <level>", "how much its runs think").choices(THINKING_LEVELS))
    .addOption(new Option("--timeout-seconds <number>", "the limit of a run").argParser(positive))
    .option("--light-context", "no bootstrap files in the prompt")
    .option("--tools <names...>", "the only tools that its runs may call")
    .addOption(new Option("--catch-up <mode>", "what was missed while the gateway was down").choices(["skip", "once", "all"]))
    .option("--max-age <duration>", "with --catch-up: older ones are left out")
    .addOption(new Option("--overlap <mode>", "while an earlier run goes on").choices(["skip", "queue", "replace"]))
    .option("--delete-after-run", "remove it once it is done")
    .addOption(json());
}

function given(argv: readonly string[]): { readonly argv?: readonly string[] } {
  return argv.length === 0 ? {} : { argv };
}

/** A program, or a program with its arguments as a JSON array. */
function program(text: string): readonly string[] {
  if (!text.startsWith("[")) return [text];
  const parsed = parseJson(text);
  if (Array.isArray(parsed) && parsed.every((word) => typeof word === "string")) return parsed;
  throw new InvalidArgumentError('Write ["program", "argument"].');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
