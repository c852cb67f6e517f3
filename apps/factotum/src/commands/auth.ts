import { withoutUndefined } from "@factotum/agent-contract";
import { PROVIDERS } from "@factotum/models";
import { mayKeyBeRight, type SetupCheck, type SetupProvider } from "@factotum/protocol";
import { checkSetup, unknownProvider } from "../first-run/check-setup.ts";
import { chooseModel } from "../first-run/choose-model.ts";
import { forgetKey } from "../first-run/forget-key.ts";
import { storeKey } from "../first-run/store-key.ts";
import { describeReload, reloadGateway } from "../rpc/reload-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { paint } from "../runtime/paint.ts";
import { renderTable } from "../runtime/render-table.ts";
import { doneOrFail, firstRunParts, setupState } from "./first-run-steps.ts";

/**
 * Tests a key and stores it. One that could not be tested is stored only if the provider has no other; `check: false` skips the test. The key is read from
 * the terminal without echo, otherwise from standard input; never from the command line, where other programs could read it. If only the demo was available,
 * the provider's default model is selected too.
 */
export async function authSet(
  context: CliContext,
  provider: string,
  { check, json }: { readonly check: boolean; readonly json: boolean },
): Promise<number> {
  const before = await setupState(context);
  const facts = requireProvider(before.providers, provider);
  const key = await readKey(context, facts);
  const parts = firstRunParts(context);
  const tested = check ? await checkSetup({ provider, key }, parts, { signal: context.signal }) : undefined;
  if (tested !== undefined && !mayKeyBeRight(tested))
    throw new CliError("failure", tested.message, { fix: "Nothing was stored. With --no-check a key is stored untested." });
  if (tested !== undefined && isUntested(tested) && facts.keyPlace !== undefined && facts.keyProblem === undefined)
    throw new CliError("failure", `The key could not be tested: ${tested.message}`, {
      fix: `The key in ${facts.keyPlace} stays as it is. With --no-check the new one is stored untested.`,
    });
  const { keyPlace } = doneOrFail(await storeKey(provider, key, parts));
  const isFirst = before.model.source === "demo" && facts.defaultModel !== undefined;
  const chosen = isFirst ? doneOrFail(await chooseModel(`${provider}/${facts.defaultModel ?? ""}`, parts)).model : undefined;
  const reloaded = await reloadGateway(context, { force: true });
  if (json) {
    printJson(context, { provider, keyPlace, check: tested?.type ?? "skipped", ...withoutUndefined({ model: chosen }) });
    return EXIT.ok;
  }
  if (tested !== undefined) context.print(`${tested.message}\n`);
  if (tested === undefined || isUntested(tested)) context.print(`This key is untested. Test it later: factotum auth test ${provider}\n`);
  context.print(`The key is kept in ${keyPlace} of the state directory, readable only by you.\n`);
  if (chosen === undefined)
    context.print(`The model is ${before.model.reference}. Choose another: factotum models set ${provider}/<model>\n`);
  else context.print(`The model is now ${chosen}. Choose another: factotum models set ${provider}/<model>\n`);
  context.note(`${describeReload(reloaded)}\n`);
  return EXIT.ok;
}

/** Removes the key of a provider from the configuration, with the file that `auth set` made for it. */
export async function authRemove(context: CliContext, provider: string, { json }: { readonly json: boolean }): Promise<number> {
  requireProvider((await setupState(context)).providers, provider);
  const { keyPlace } = doneOrFail(await forgetKey(provider, firstRunParts(context)));
  const reloaded = await reloadGateway(context, { force: true });
  if (json) printJson(context, { provider, keyPlace });
  else context.print(`The key of ${provider} in ${keyPlace} is removed.\n`);
  context.note(`${describeReload(reloaded)}\n`);
  return EXIT.ok;
}

/** Lists the providers with the locations of their keys; never a key. */
export async function authList(context: CliContext, { json }: { readonly json: boolean }): Promise<number> {
  const { providers } = await setupState(context);
  if (json) printJson(context, { providers });
  else
    context.print(
      renderTable(
        ["PROVIDER", "NAME", "KEY"].map((words) => paint(context, "heading", words)),
        providers.map((one) => [one.id, one.label, describeKey(one)]),
      ),
    );
  return EXIT.ok;
}

/** Tests the key that a provider has, by calls that cost nothing. */
export async function authTest(context: CliContext, provider: string, { json }: { readonly json: boolean }): Promise<number> {
  requireProvider((await setupState(context)).providers, provider);
  const tested = await checkSetup({ provider }, firstRunParts(context), { signal: context.signal });
  if (json) printJson(context, { provider, type: tested.type, message: tested.message, models: tested.models.length });
  else if (tested.type === "works") context.print(`${tested.message}\n`);
  else {
    const fix = tested.type === "missing-key" ? `Set one: factotum auth set ${provider}` : undefined;
    throw new CliError("failure", tested.message, withoutUndefined({ fix }));
  }
  return tested.type === "works" ? EXIT.ok : EXIT.failure;
}

/** The test ended before the provider accepted or refused the key. */
function isUntested({ type }: Pick<SetupCheck, "type">): boolean {
  return type === "unreachable" || type === "failed" || type === "rate-limited";
}

function requireProvider(providers: readonly SetupProvider[], id: string): SetupProvider {
  const found = providers.find((one) => one.id === id);
  if (found !== undefined) return found;
  // Local servers that a first run does not offer.
  if (id !== "demo" && Object.hasOwn(PROVIDERS, id)) return { id, label: id, needsKey: false };
  const ids = providers.map((one) => one.id);
  throw new CliError("usage", unknownProvider(id, ids), { fix: 'See "factotum auth list".' });
}

function describeKey({ needsKey, keyPlace, keyProblem, running }: SetupProvider): string {
  if (keyPlace !== undefined) return keyProblem === undefined ? keyPlace : `! ${keyProblem}`;
  if (needsKey) return "-";
  return running === undefined ? "none" : running ? "not needed (running)" : "not needed (not running)";
}

async function readKey(context: CliContext, { label, url }: SetupProvider): Promise<string> {
  const prompts = await context.prompts?.();
  if (prompts === undefined) {
    const input = (await context.readInput?.())?.trim() ?? "";
    if (input !== "") return input;
    throw new CliError("usage", "There is no key on standard input.", {
      fix: "At a terminal the command asks for it; else: factotum auth set <provider> < file",
    });
  }
  const key = await prompts.password(`Key of ${label}${url === undefined ? "" : ` (made at ${url})`}`);
  if (key === undefined || key.trim() === "") throw new CliError("failure", "No key was given; nothing has changed.");
  return key.trim();
}
