import { parseTypedValue } from "@factotum/config";
import { RpcError, type ConfigService } from "@factotum/gateway";
import type { ConfigPatchResult } from "@factotum/protocol";
import { createConfigService } from "../admin/config-service.ts";
import { configOptions } from "../compose/extensions.ts";
import { describeReload, reloadGateway } from "../rpc/reload-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";

/** Changes several keys of the file by a JSON merge patch on standard input, as the page does. */
export async function configPatch(
  context: CliContext,
  { base, dryRun, json }: { readonly base?: string; readonly dryRun: boolean; readonly json: boolean },
): Promise<number> {
  const patch = parseTypedValue((await context.readInput?.()) ?? "");
  if (typeof patch !== "object" || patch === null || Array.isArray(patch))
    throw new CliError("usage", "There is no object on standard input.", {
      fix: `Write keys and values; null removes one: echo '{ gateway: { port: 18791 } }' | factotum config patch`,
    });
  const service = createConfigService({ options: async () => configOptions(context.env), hide: (text) => text });
  const baseHash = base ?? (await service.view()).baseHash;
  const result = await patchOrFail(service, { baseHash, patch: patch as Readonly<Record<string, unknown>>, dryRun });
  const reloaded = result.type === "applied" ? await reloadGateway(context) : undefined;
  if (json) {
    printJson(context, reloaded === undefined ? result : { ...result, gateway: reloaded });
    return EXIT.ok;
  }
  if (result.type === "unchanged") context.print("Nothing to change.\n");
  for (const { type, path, before, after } of result.differences) {
    const was = type === "added" ? "(not set)" : JSON.stringify(before);
    context.print(`${path}: ${was} → ${type === "removed" ? "(removed)" : JSON.stringify(after)}\n`);
  }
  if (!result.keptComments) context.note("The file has to be rewritten without its comments; the previous version is kept.\n");
  if (dryRun && result.needsRestart.length > 0) context.note(`Takes effect after a restart: ${result.needsRestart.join(", ")}.\n`);
  if (result.type === "applied") context.note(`${describeReload(reloaded)}\n`);
  return EXIT.ok;
}

async function patchOrFail(service: ConfigService, change: Parameters<ConfigService["patch"]>[0]): Promise<ConfigPatchResult> {
  try {
    return await service.patch(change);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const fix = error.code === "conflict" ? "Look at the file again." : "Nothing was written.";
    throw new CliError("configInvalid", error.message, { fix, cause: error });
  }
}
