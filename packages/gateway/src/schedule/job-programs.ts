import { isDeepStrictEqual } from "node:util";
import { withoutUndefined } from "@factotum/agent-contract";
import type { JobSpec } from "@factotum/agent-contract";
import type { ApprovalStore, BoundProgram, JobRecord, ProgramGrant } from "@factotum/store";
import { boundFiles } from "@factotum/tools";
import type { RunningConfig } from "../agents/running-config.ts";

/** What a job's `JobRecord.programs` are. */
type Programs = NonNullable<JobRecord["programs"]>;

/** The parts of a job that can run a program. */
const PARTS = ["payload", "check"] as const satisfies readonly (keyof Programs)[];

/** What the programs of jobs use. */
export interface JobProgramsOptions {
  readonly store: Pick<ApprovalStore, "readApproval">;
  readonly running: Pick<RunningConfig, "agent" | "config">;
  /** The folders in which commands find programs, as in the variable PATH. */
  readonly searchPath: string;
}

/**
 * Binds the programs of jobs to the files that they ran when they were allowed, as an approval binds a command (R21), and checks before each run whether they are
 * still allowed.
 */
export class JobPrograms {
  readonly #options: JobProgramsOptions;

  constructor(options: JobProgramsOptions) {
    this.#options = options;
  }

  /** The programs of a job as they are now, allowed by `grant`; those of `kept` stay as they are bound. `undefined` if it runs none. */
  async bind(
    spec: Pick<JobSpec, "payload" | "check">,
    agentId: string,
    { grant, kept = {} }: { readonly grant: ProgramGrant; readonly kept?: Programs | undefined },
  ): Promise<Programs | undefined> {
    const bound: { -readonly [Part in keyof Programs]: Programs[Part] } = {};
    for (const part of PARTS) {
      const argv = argvOf(spec, part);
      if (argv !== undefined) bound[part] = kept[part] ?? { files: await this.#filesOf(spec, part, agentId), grant };
    }
    return Object.keys(bound).length === 0 ? undefined : bound;
  }

  /** Why the settings let a job run no programs that `grant` allows; `undefined` if they do. */
  refusalOf(agentId: string, { type }: ProgramGrant): string | undefined {
    const { running } = this.#options;
    const { mode } = running.config.tools.exec;
    if (mode === "deny") return 'tools.exec.mode is "deny"';
    if (type === "owner") return undefined;
    const occasion = { provider: "", group: undefined, senders: [], sandboxed: false, subagent: false };
    const removed = running
      .agent(agentId)
      .toolVerdicts("exec", occasion)
      .find(({ admits }) => !admits);
    if (removed !== undefined) return `the assistant that made the job no longer has the tool exec (${removed.key})`;
    return type === "mode" && mode !== "full"
      ? `it was made while commands ran without asking, and tools.exec.mode is "${mode}" now`
      : undefined;
  }

  /** Why the programs of a job must not run now; `undefined` if they may, or if it has no programs. */
  async problemOf({ agentId, spec, programs = {} }: Pick<JobRecord, "agentId" | "spec" | "programs">): Promise<string | undefined> {
    for (const part of PARTS) {
      if (argvOf(spec, part) === undefined) continue;
      const program = programs[part];
      const problem =
        program === undefined
          ? "it was made before programs of jobs were bound to their files"
          : (this.refusalOf(agentId, program.grant) ??
            (await this.#withdrawalOf(program.grant)) ??
            changeOf(program.files, await this.#filesOf(spec, part, agentId)));
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  async #withdrawalOf(grant: ProgramGrant): Promise<string | undefined> {
    if (grant.type !== "approval") return undefined;
    const approval = await this.#options.store.readApproval(grant.id);
    return approval?.state === "withdrawn" ? `the decision ${grant.id} that allowed it was taken back` : undefined;
  }

  async #filesOf(spec: Pick<JobSpec, "payload" | "check">, part: keyof Programs, agentId: string): Promise<BoundProgram["files"]> {
    const { running, searchPath } = this.#options;
    const argv = argvOf(spec, part) ?? [];
    const { workspace } = running.agent(agentId).config;
    const cwd = part === "payload" && spec.payload.type === "command" ? (spec.payload.cwd ?? workspace) : workspace;
    return (await boundFiles({ type: "argv", argv }, { cwd, searchPath })).files;
  }
}

/** True if a job, or a change of one, runs a program. */
export function runsProgram({ payload, check }: Partial<Pick<JobSpec, "payload" | "check">>): boolean {
  return payload?.type === "command" || check?.type === "argv";
}

/** The programs of a job that a change does not replace. */
export function unchangedPrograms({ programs = {} }: Pick<JobRecord, "programs">, change: Partial<JobSpec>): Programs {
  const { payload, check } = programs;
  return withoutUndefined({
    payload: change.payload === undefined ? payload : undefined,
    check: change.check === undefined ? check : undefined,
  });
}

function argvOf({ payload, check }: Pick<JobSpec, "payload" | "check">, part: keyof Programs): readonly string[] | undefined {
  if (part === "payload") return payload.type === "command" ? payload.argv : undefined;
  return check?.type === "argv" ? check.argv : undefined;
}

/** The first file that has changed; `undefined` if all are the same. */
function changeOf(before: BoundProgram["files"], now: BoundProgram["files"]): string | undefined {
  if (isDeepStrictEqual(before, now)) return undefined;
  const changed = [...before, ...now].find((file) => ![before, now].every((files) => files.some((one) => isDeepStrictEqual(one, file))));
  return `${changed?.path ?? "what it runs"} has changed since it was allowed`;
}
