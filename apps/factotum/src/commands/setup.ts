import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { describeSetup, runSetup } from "../setup/run-setup.ts";

/** Creates what is missing and prints what it did; at a terminal it then leads a person through the first steps. */
export async function setup(
  context: CliContext,
  { json, interactive }: { readonly json: boolean; readonly interactive: boolean },
): Promise<number> {
  const report = await runSetup(context);
  const prompts = interactive && !json ? await context.prompts?.() : undefined;
  if (prompts !== undefined) {
    if (report.config.created) prompts.say("info", describeSetup(report).join("\n"));
    const { setupGuide } = await import("./setup-guide.ts");
    return setupGuide(context, prompts);
  }
  if (json) {
    printJson(context, report);
    return EXIT.ok;
  }
  for (const line of describeSetup(report)) context.print(`${line}\n`);
  context.print('\nNext: "factotum gateway run" starts it and prints the address of the chat; "factotum doctor" says what is missing.\n');
  return EXIT.ok;
}
