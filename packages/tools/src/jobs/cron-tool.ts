import type {
  AgentTool,
  AgentToolResult,
  InspectedCall,
  JobCaller,
  JobChange,
  RunFacts,
  ScheduledJobs,
  ToolTraits,
} from "@factotum/agent-contract";
import { THINKING_LEVELS } from "@factotum/agent-contract";
import { z } from "zod";
import { boundFiles, type BoundFiles } from "../commands/bound-files.ts";
import { defineTool } from "../define-tool/define-tool.ts";
import { errorResult, textResult } from "../define-tool/tool-result.ts";
import { describeJob, describeRun } from "./describe-job.ts";
import { JobFieldsError, parseJob, parseJobChange, type JobFields } from "./job-fields.ts";

const DEFAULT_RUNS = 10;

const argv = z.array(z.string().max(4_000)).max(100).optional();
// Models fill optional parameters with "", which counts as omitted.
const text = z.string().max(16_000).optional();
const word = z.string().max(1_000).optional();

const CronSchema = z.strictObject({
  action: z.enum(["list", "get", "add", "update", "remove", "run", "runs", "wake"]),
  job: word.describe("get, update, remove, run, runs: id or name"),
  name: word,
  description: word,
  enabled: z.boolean().optional(),
  at: word.describe("Once: ISO time, or a duration from now such as 20m"),
  every: word.describe("A duration such as 2h"),
  anchor: word.describe("ISO time from which every counts. Default: now"),
  cron: word.describe("Cron expression of 5 or 6 fields, local time"),
  timezone: word.describe("Default: the user's"),
  exact: z.boolean().optional().describe("cron: not spread over 5 minutes at the full hour"),
  task: text.describe("A model does this; its answer is sent. NO_REPLY sends nothing"),
  text: text.describe("Sent as it is, without a model"),
  event: text.describe("Shown to the next turn of the heartbeat, or of session; also what wake tells it"),
  wake: z
    .enum(["now", "next-heartbeat"])
    .optional()
    .describe("event: whether the heartbeat runs at once. Default: next-heartbeat, of wake now"),
  argv: argv.describe("A program without a shell; its output is sent, without a model"),
  cwd: word,
  to: word.describe("<channel>:<chat id>. Default: this conversation"),
  webhook: word.describe("URL that the outcome is posted to instead"),
  silent: z.boolean().optional().describe("The outcome is sent nowhere"),
  checkArgv: argv.describe("Runs the job only if this program exits with 0; costs no tokens"),
  checkUrl: word.describe("The same for a URL that answers 2xx"),
  checkFile: word.describe("The same for a file that has changed"),
  session: word.describe("isolated (default), main, or a session key"),
  model: word,
  thinking: z.enum(THINKING_LEVELS).optional(),
  timeoutSeconds: z.number().optional(),
  lightContext: z.boolean().optional().describe("No bootstrap files in the prompt"),
  tools: z.array(z.string().min(1)).max(200).optional().describe("The only tools of its runs"),
  catchUp: z.enum(["skip", "once", "all"]).optional().describe("Runs missed while the gateway was down"),
  maxAge: word.describe("Older missed runs are left out"),
  overlap: z.enum(["skip", "queue", "replace"]).optional().describe("While an earlier run goes on"),
  deleteAfterRun: z.boolean().optional(),
  limit: z.int().min(1).max(50).optional().describe(`runs. Default: ${DEFAULT_RUNS}`),
});
type CronArguments = z.output<typeof CronSchema>;

const JOB_PARAMETERS = Object.keys(CronSchema.shape).filter((name) => !["action", "job", "limit"].includes(name));

const READS: ToolTraits = { effect: "read", idempotent: true, output: "trusted", network: false, parallel: false };
const SCHEDULES: ToolTraits = { ...READS, effect: "schedule", idempotent: false };
/** A program that runs unattended is decided on as if it ran now. */
const EXECUTES: ToolTraits = { ...SCHEDULES, effect: "execute", network: true };

/** What the tool works with. */
export interface CronToolOptions {
  readonly jobs: ScheduledJobs;
  /** The folders in which commands find programs, as in the variable PATH. */
  readonly searchPath: string;
}

/** Makes, changes, shows and starts scheduled jobs. Those that run a program are decided on like a command; a tainted turn asks the owner (R23). */
export function createCronTool({ jobs, searchPath }: CronToolOptions): AgentTool {
  return defineTool({
    name: "cron",
    summary: "Reminders and scheduled jobs",
    description: [
      "Reminders and scheduled jobs, which survive restarts. add needs name, one of at, every and cron, and one of task, text, event and argv.",
      "A reminder is a text with at. Use text or argv, or a check, wherever no model is needed: they cost nothing.",
      "run starts a job now, besides its schedule, to try it; runs shows what became of it. update changes the given parts.",
    ].join("\n"),
    schema: CronSchema,
    takenBy: { job: ["get", "update", "remove", "run", "runs"], limit: ["runs"], ...takenByChanges() },
    traits: EXECUTES,
    traitsFor: (args) => {
      if (args.action === "list" || args.action === "get" || args.action === "runs") return READS;
      return namesProgram(args) ? EXECUTES : SCHEDULES;
    },
    inspect: async (args, run) => inspect(args, run, searchPath),
    async execute(args, { run, tainted }) {
      const inspected = namesProgram(args) ? await inspect(args, run, searchPath) : undefined;
      const caller: JobCaller = { run, tainted, ...(inspected?.type === "action" ? { binding: inspected.binding } : {}) };
      if (args.action === "list") return list(jobs, caller);
      if (args.action === "add") {
        const problem = change(args);
        if (typeof problem === "string") return errorResult(problem);
        return report(await jobs.add(parseJob(fieldsOf(args)), caller), "Scheduled", run.timeZone);
      }
      if (args.action === "wake") return wake(jobs, args, caller);
      if (args.job === undefined) return errorResult(`${args.action} needs job: an id or a name. cron {"action": "list"} shows them.`);
      return one(jobs, args, { caller, job: args.job });
    },
  });
}

/** What a call would do. A decision about programs counts for the files that they run now, as it does for a command (R21). */
async function inspect(args: CronArguments, run: RunFacts, searchPath: string): Promise<InspectedCall> {
  if (args.action !== "add" && args.action !== "update")
    return { type: "action", text: `${args.action} the job ${args.job ?? ""}`, binding: { action: args.action, job: args.job ?? "" } };
  const parsed = change(args);
  if (typeof parsed === "string") return { type: "invalid", message: parsed };
  const { job = "", argv: program, cwd = run.workspace, checkArgv } = args;
  const fields = JSON.stringify(fieldsOf(args));
  const bound = await Promise.all([programFiles(program, cwd, searchPath), programFiles(checkArgv, run.workspace, searchPath)]);
  return {
    type: "action",
    text: args.action === "add" ? `Schedule a job: ${fields}` : `Change the job ${job}: ${fields}`,
    binding: {
      action: args.action,
      job,
      fields,
      workspace: run.workspace,
      ...(namesProgram(args) ? { files: bound.flatMap(({ files }) => files.map(({ path, digest }) => ({ path, digest }))) } : {}),
    },
    ...(bound.every(({ isComplete }) => isComplete) ? {} : { onceOnly: true }),
  };
}

async function programFiles(words: readonly string[] = [], cwd: string, searchPath: string): Promise<BoundFiles> {
  return words.length === 0 ? { files: [], isComplete: true } : boundFiles({ type: "argv", argv: words }, { cwd, searchPath });
}

/** True if a call makes a job run a program. */
function namesProgram({ argv: program = [], checkArgv = [] }: CronArguments): boolean {
  return program.length > 0 || checkArgv.length > 0;
}

async function list(jobs: ScheduledJobs, caller: JobCaller): Promise<AgentToolResult> {
  const found = await jobs.list(caller);
  return textResult(found.length === 0 ? "There are no jobs." : found.map((job) => describeJob(job, caller.run.timeZone)).join("\n"));
}

async function wake(jobs: ScheduledJobs, { event, wake: mode = "now" }: CronArguments, caller: JobCaller): Promise<AgentToolResult> {
  if (event === undefined || event === "") return errorResult("wake needs event: what the heartbeat is told.");
  const woken = await jobs.wake({ text: event, wake: mode }, caller);
  return woken.type === "refused" ? errorResult(woken.message) : textResult(woken.note ?? "The heartbeat is told.");
}

async function one(
  jobs: ScheduledJobs,
  args: CronArguments,
  { caller, job }: { readonly caller: JobCaller; readonly job: string },
): Promise<AgentToolResult> {
  const { timeZone } = caller.run;
  switch (args.action) {
    case "get": {
      const found = (await jobs.list(caller)).find(({ id, spec }) => id === job || spec.name === job);
      if (found === undefined) return noJob(job);
      return textResult(`${describeJob(found, timeZone)}\n${JSON.stringify(found.spec, undefined, 2)}`);
    }
    case "update": {
      const parsed = change(args);
      return typeof parsed === "string" ? errorResult(parsed) : report(await jobs.update(job, parsed, caller), "Changed", timeZone);
    }
    case "remove":
      return report(await jobs.remove(job, caller), "Removed", timeZone);
    case "run":
      return report(await jobs.run(job, caller), "Started, and goes on after this call", timeZone);
    case "runs": {
      const runs = await jobs.runs(job, { limit: args.limit ?? DEFAULT_RUNS }, caller);
      if (runs === undefined) return noJob(job);
      return textResult(runs.length === 0 ? "It has not run yet." : runs.map((run) => describeRun(run, timeZone)).join("\n"));
    }
    case "wake":
    case "list":
    case "add":
      throw new Error("not about one job");
  }
}

/** The change that the arguments describe, or what is wrong with them. */
function change(args: CronArguments): ReturnType<typeof parseJobChange> | string {
  try {
    return args.action === "add" ? parseJob(fieldsOf(args)) : parseJobChange(fieldsOf(args));
  } catch (error) {
    if (error instanceof JobFieldsError) return error.message;
    throw error;
  }
}

function fieldsOf({ action: _verb, job: _named, limit: _runs, ...fields }: CronArguments): JobFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== "" && !(Array.isArray(value) && value.length === 0)));
}

function takenByChanges(): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    JOB_PARAMETERS.map((name) => [name, name === "event" || name === "wake" ? ["add", "update", "wake"] : ["add", "update"]]),
  );
}

function report(outcome: JobChange, verb: string, timeZone: string): AgentToolResult {
  return outcome.type === "refused" ? errorResult(outcome.message) : textResult(`${verb}. ${describeJob(outcome.job, timeZone)}`);
}

function noJob(named: string): AgentToolResult {
  return errorResult(`There is no job ${JSON.stringify(named)}. cron {"action": "list"} shows them.`);
}
