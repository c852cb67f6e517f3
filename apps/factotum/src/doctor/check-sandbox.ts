import type { FactotumConfig } from "@factotum/config";
import { trySandboxes } from "../compose/try-sandbox.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { ok, type Finding } from "./finding.ts";

/** Whether the sandboxes that the configuration asks for start on this machine; nothing if no command would run in one. */
export async function checkSandbox(context: CliContext, { agents, tools }: FactotumConfig): Promise<readonly Finding[]> {
  if (tools.exec.mode === "deny") return [];
  const choices = new Map(
    agents
      .filter(({ sandbox }) => sandbox.mode !== "off")
      .map(({ sandbox: { backend, image } }) => [`${backend} ${image}`, { backend, image }]),
  );
  const states = await trySandboxes(context, [...choices.values()]);
  return states.map((state): Finding => {
    if (state.type === "ready") return ok("sandbox", `${state.backend} works (${state.program})`);
    const message = `There is no sandbox, so commands that need one are refused (${state.backend}: ${state.reason}).`;
    return { check: "sandbox", level: "warning", message, fix: state.fix };
  });
}
