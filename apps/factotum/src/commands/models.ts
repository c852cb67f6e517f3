import { isModelRefused, mayKeyBeRight } from "@factotum/protocol";
import { checkSetup } from "../first-run/check-setup.ts";
import { chooseModel, describeMissingModel } from "../first-run/choose-model.ts";
import { loadForSetup } from "../first-run/first-run-parts.ts";
import { describeReload, reloadGateway } from "../rpc/reload-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { doneOrFail, firstRunParts, setupState } from "./first-run-steps.ts";

/** Lists the models of one provider, or of all with a key or a local server, by their free listings. Unavailable ones are reported on standard error, and by the exit code. */
export async function modelsList(context: CliContext, provider: string | undefined, { json }: { readonly json: boolean }): Promise<number> {
  const { model, providers } = await setupState(context);
  const usable = providers.filter(
    ({ keyPlace, running, needsKey, url }) => keyPlace !== undefined || running === true || (!needsKey && url === undefined),
  );
  const asked = provider === undefined ? usable.map(({ id }) => id) : [provider];
  const parts = firstRunParts(context);
  const lists = await Promise.all(
    asked.map(async (id) => ({ id, check: await checkSetup({ provider: id }, parts, { signal: context.signal }) })),
  );
  const models = lists.flatMap(({ id, check }) => check.models.map((name) => `${id}/${name}`));
  if (json)
    printJson(context, {
      model: model.reference,
      models,
      problems: lists.flatMap(({ check }) => (check.type === "works" ? [] : [check.message])),
    });
  else {
    for (const reference of models) context.print(`${reference}${reference === model.reference ? "  (in use)" : ""}\n`);
    for (const { check } of lists) if (check.type !== "works") context.note(`factotum: ${check.message}\n`);
    if (asked.length === 0) context.note('factotum: no provider has a key and no Ollama runs; "factotum auth set <provider>" keeps one\n');
  }
  return lists.some(({ check }) => check.type !== "works") ? EXIT.failure : EXIT.ok;
}

/** Tests whether a model, or the current one, can be used, by calls that cost nothing. */
export async function modelsTest(
  context: CliContext,
  reference: string | undefined,
  { json }: { readonly json: boolean },
): Promise<number> {
  const written = reference ?? (await setupState(context)).model.reference;
  const check = await testModel(context, written);
  if (json) printJson(context, { model: written, type: check.type, message: check.message });
  else if (check.type === "works") context.print(`${check.message}\n`);
  else throw new CliError("failure", check.message);
  return check.type === "works" ? EXIT.ok : EXIT.failure;
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
