import { RpcError } from "@factotum/gateway";
import { SkillInstallError } from "@factotum/skills";
import { CliError } from "../runtime/cli-error.ts";

/** Runs what commands do for a client: their errors become those of a request. */
export async function asRequest<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SkillInstallError) throw new RpcError("conflict", withAdvice(error.message, error.fix), { cause: error });
    if (!(error instanceof CliError)) throw error;
    const code = error.code === "usage" ? "invalid-request" : error.code === "failure" ? "conflict" : "unavailable";
    throw new RpcError(code, withAdvice(error.message, error.fix), { cause: error });
  }
}

/** Advice to run a command is of no use to someone who is shown a page. */
function withAdvice(message: string, fix: string | undefined): string {
  return fix === undefined || /factotum |--\w/.test(fix) ? message : `${message} ${fix}`;
}
