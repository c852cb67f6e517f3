import { formatProblem, type FactotumConfig } from "@factotum/config";
import type { CliContext } from "../runtime/cli-context.ts";
import { shortTokenProblem } from "../compose/gateway-token.ts";
import type { Finding } from "./finding.ts";

/** A configured token that is too short for a gateway that other machines can reach. */
export async function checkToken(config: FactotumConfig, { env, paths }: CliContext): Promise<Finding[]> {
  const problem = await shortTokenProblem(config, { env, paths });
  if (problem === undefined) return [];
  const fix = "Remove it, or set a longer one: factotum config unset gateway.auth.token";
  return [{ check: "gateway-token", level: "warning", message: `${formatProblem(problem)}.`, fix }];
}
