import { readFile } from "node:fs/promises";
import { withoutUndefined } from "@factotum/agent-contract";
import type { JobGrants, JobSummary, OptionalJobPart } from "@factotum/protocol";
import { OPTIONAL_JOB_PARTS } from "@factotum/protocol";
import { describeJob, describeRun, formatTime, JobFieldsError, parseJob, parseJobChange, type JobFields } from "@factotum/tools";
import { requestGateway } from "../rpc/request-gateway.ts";
import { CliError } from "../runtime/cli-error.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";

/** Parts of a job, as options of the command line. */
export interface JobOptions extends Omit<JobFields, "checkArgv" | "webhookSecret"> {
  readonly check?: readonly string[];
  readonly webhookSecretFile?: string;
  readonly agent?: string;
}

/** The same for a change. */
export interface ChangeOptions extends JobOptions {
  readonly disabled?: boolean;
  readonly unset?: readonly string[];
}

/** A schedule that is being written. */
export interface NextOptions extends Pick<JobFields, "at" | "every" | "anchor" | "cron" | "timezone"> {
  readonly agent?: string;
  readonly count?: number;
}

/** Lists the jobs. */
export async function cronList(
  cli: CliContext,
  { json, ...params }: { readonly json: boolean; readonly agentId?: string },
): Promise<number> {
  const found = await requestGateway(cli, "cron.list", params);
  if (json) printJson(cli, found);
  else {
    for (const job of found.jobs) printJob(cli, job);
    if (found.jobs.length === 0) cli.note('factotum: no jobs; "factotum cron add --help" shows how to make one\n');
  }
  return EXIT.ok;
}

/** Makes a job, and shows it. */
export async function cronAdd(cli: CliContext, { json, agent, ...options }: JobOptions & { readonly json: boolean }): Promise<number> {
  const fields = await fieldsOf(options);
  const spec = parsed(() => parseJob(fields));
  const { job } = await requestGateway(cli, "cron.add", { spec, ...withoutUndefined({ agentId: agent }) });
  return show(cli, job, json);
}

/** Changes a job, and shows it. */
export async function cronUpdate(
  cli: CliContext,
  job: string,
  { json, disabled, unset, ...options }: ChangeOptions & { readonly json: boolean },
): Promise<number> {
  const fields = await fieldsOf({ ...options, ...(disabled === true ? { enabled: false } : {}) });
  const params = { job, change: parsed(() => parseJobChange(fields)), ...withoutUndefined({ unset: unset?.map(optionalPart) }) };
  if (Object.keys(params.change).length === 0 && params.unset === undefined)
    throw new CliError("usage", "Say what changes: an option of the job, or --unset.");
  return show(cli, (await requestGateway(cli, "cron.update", params)).job, json);
}

/** Shows, removes or starts a job. */
export async function cronOne(
  cli: CliContext,
  action: "get" | "remove" | "run",
  { json, job }: { readonly json: boolean; readonly job: string },
): Promise<number> {
  const answer = await requestGateway(cli, `cron.${action}`, { job });
  const { job: found } = answer;
  if (json) {
    printJson(cli, "grants" in answer ? answer : { job: found });
    return EXIT.ok;
  }
  if (action === "remove") cli.print("Removed: ");
  if (action === "run") cli.print("Started: ");
  printJob(cli, found);
  if (action === "get") cli.print(`${terminalText(JSON.stringify(found.spec, undefined, 2))}\n`);
  if ("grants" in answer) printGrants(cli, answer.grants);
  if (action === "run") cli.note(`factotum: "factotum cron runs ${found.id}" shows what becomes of it\n`);
  return EXIT.ok;
}

/** Shows the outcomes of a job. */
export async function cronRuns(
  cli: CliContext,
  { json, ...params }: { readonly json: boolean; readonly job: string; readonly limit?: number },
): Promise<number> {
  const found = await requestGateway(cli, "cron.runs", params);
  if (json) printJson(cli, found);
  else {
    for (const run of found.runs) cli.print(`${terminalText(describeRun(run, ownZone()))}\n`);
    if (found.runs.length === 0) cli.note("factotum: it has not run yet\n");
  }
  return EXIT.ok;
}

/** Shows the next times of a schedule. */
export async function cronNext(
  cli: CliContext,
  { json, agent, count, ...fields }: NextOptions & { readonly json: boolean },
): Promise<number> {
  const { schedule } = parsed(() => parseJobChange(fields));
  if (schedule === undefined) throw new CliError("usage", "Give --at, --every or --cron.");
  const found = await requestGateway(cli, "cron.preview", { schedule, ...withoutUndefined({ agentId: agent, count }) });
  if (json) printJson(cli, found);
  else for (const instantMs of found.instantsMs) cli.print(`${formatTime(instantMs, found.timezone)}\n`);
  return EXIT.ok;
}

function printGrants(cli: CliContext, { owner, madeBy, programs, problem }: JobGrants): void {
  cli.print(
    `made ${madeBy === undefined ? "outside of a conversation" : `by ${terminalText(madeBy)}`}, runs ${owner ? "with the authority of the owner" : "in the sandbox"}\n`,
  );
  for (const { files, allowedBy } of programs)
    cli.print(`may run ${terminalText(files.join(", "))} (allowed by ${ALLOWED_BY[allowedBy]})\n`);
  if (problem !== undefined) cli.print(`does not run its program: ${terminalText(problem)}\n`);
}

const ALLOWED_BY = { owner: "the owner", approval: "an approval", mode: "tools.exec.mode" } as const;

function show(cli: CliContext, job: JobSummary, json: boolean): number {
  if (json) printJson(cli, { job });
  else printJob(cli, job);
  return EXIT.ok;
}

function printJob(cli: CliContext, job: JobSummary): void {
  cli.print(`${terminalText(describeJob(job, ownZone()))}\n`);
}

function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

async function fieldsOf({ check, webhookSecretFile, agent: _whose, ...fields }: JobOptions): Promise<JobFields> {
  const webhookSecret = webhookSecretFile === undefined ? undefined : await readSecret(webhookSecretFile);
  return { ...fields, ...withoutUndefined({ checkArgv: check, webhookSecret }) };
}

async function readSecret(path: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw new CliError("usage", `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  if (text.trim() === "") throw new CliError("usage", `${path} is empty.`);
  return text.trim();
}

function optionalPart(name: string): OptionalJobPart {
  const part = OPTIONAL_JOB_PARTS.find((one) => one === name);
  if (part === undefined)
    throw new CliError(
      "usage",
      `A job has no part ${JSON.stringify(name)} that can be unset. These can: ${OPTIONAL_JOB_PARTS.join(", ")}.`,
    );
  return part;
}

function parsed<Result>(parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    if (error instanceof JobFieldsError) throw new CliError("usage", error.message, { cause: error });
    throw error;
  }
}
