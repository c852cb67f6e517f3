import { withoutUndefined } from "@factotum/agent-contract";
import { isModelRefused, mayKeyBeRight, type ModelTest } from "@factotum/protocol";
import { checkSetup } from "../first-run/check-setup.ts";
import { chooseModel, describeMissingModel } from "../first-run/choose-model.ts";
import { listModels } from "../first-run/list-models.ts";
import { loadForSetup } from "../first-run/first-run-parts.ts";
import { requestGateway } from "../rpc/request-gateway.ts";
import { describeReload, reloadGateway } from "../rpc/reload-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { doneOrFail, firstRunParts, setupState } from "./first-run-steps.ts";

/**
 * Lists the models of one provider, or of all with a key or a local server, by their free listings; with `known` those that this version knows, without asking.
 * Unavailable ones are reported on standard error, and by the exit code.
 */
export async function modelsList(
  context: CliContext,
  provider: string | undefined,
  { known, json }: { readonly known: boolean; readonly json: boolean },
): Promise<number> {
  const query = { provider, ask: !known };
  const { list } = doneOrFail(await listModels(query, firstRunParts(context), { signal: context.signal }));
  const { model, problems } = list;
  // What the configuration names need not be in the list of its provider.
  const models = known ? list.models : list.models.filter(({ source }) => source === "provider");
  if (json) printJson(context, { model, models: models.map(({ reference }) => reference), problems, details: models });
  else {
    for (const { reference } of models) context.print(`${reference}${reference === model ? "  (in use)" : ""}\n`);
    for (const problem of problems) context.note(`factotum: ${problem}\n`);
    if (models.length === 0 && problems.length === 0)
      context.note('factotum: no provider has a key and no Ollama runs; "factotum auth set <provider>" keeps one\n');
  }
  return problems.length > 0 ? EXIT.failure : EXIT.ok;
}

/**
 * Tests whether a model, or the current one, can be used: by calls that cost nothing, or with `ask` by the running gateway, with one short question, too.
 */
export async function modelsTest(
  context: CliContext,
  reference: string | undefined,
  { ask, json }: { readonly ask: boolean; readonly json: boolean },
): Promise<number> {
  const result = ask
    ? await requestGateway(context, "models.test", withoutUndefined({ model: reference }))
    : await testFree(context, reference ?? (await setupState(context)).model.reference);
  if (json) printJson(context, result);
  else if (result.type === "works") context.print(`${result.message}${measuredText(result)}\n`);
  else throw new CliError("failure", result.message);
  return result.type === "works" ? EXIT.ok : EXIT.failure;
}

async function testFree(context: CliContext, model: string): Promise<ModelTest> {
  const { type, message } = await testModel(context, model);
  return { model, type, message };
}

function measuredText({ firstTokenMs, durationMs, usage }: ModelTest): string {
  if (durationMs === undefined) return "";
  const first = firstTokenMs === undefined ? "" : `first word after ${firstTokenMs} ms, `;
  const cost = usage?.costUsd === undefined ? "" : `, $${usage.costUsd.toFixed(6)}`;
  return ` (${first}all of it after ${durationMs} ms, ${usage?.total ?? 0} tokens${cost})`;
}

/** Makes a model the default agent's, after a test; with `check: false` untested. */
export async function modelsSet(
  context: CliContext,
  reference: string,
  { check, json }: { readonly check: boolean; readonly json: boolean },
): Promise<number> {
  const tested = check && reference.includes("/") ? await testModel(context, reference) : undefined;
  if (tested !== undefined && (isModelRefused(tested) || !mayKeyBeRight(tested)))
    throw new CliError("failure", tested.message, { fix: "Nothing was changed. With --no-check a model is set untested." });
  const { model } = doneOrFail(await chooseModel(reference, firstRunParts(context)));
  const reloaded = await reloadGateway(context);
  if (json) printJson(context, { model, check: tested?.type ?? "skipped" });
  else {
    if (tested !== undefined && tested.type !== "works") context.note(`factotum: ${tested.message}\n`);
    context.print(`The model is now ${model}.\n`);
    context.note(`${describeReload(reloaded)}\n`);
  }
  return EXIT.ok;
}

async function testModel(context: CliContext, reference: string): ReturnType<typeof checkSetup> {
  const slash = reference.indexOf("/");
  if (slash < 1 || slash === reference.length - 1) {
    const loaded = await loadForSetup(firstRunParts(context));
    const missing = loaded.type === "refused" ? undefined : describeMissingModel(reference.replace(/\/$/, ""), loaded);
    throw new CliError("usage", missing ?? `"${reference}" is no model: write provider/model, such as anthropic/claude-sonnet-5-5.`);
  }
  const [provider, model] = [reference.slice(0, slash), reference.slice(slash + 1)];
  return checkSetup({ provider, model }, firstRunParts(context), { signal: context.signal });
}
