import { loadConfig } from "@factotum/config";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { CHANNELS } from "../compose/extensions.ts";
import { checkConfig } from "../doctor/check-config.ts";
import { checkDamage, checkDatabase } from "../doctor/check-damage.ts";
import { checkGateway } from "../doctor/check-gateway.ts";
import { checkModels } from "../doctor/check-models.ts";
import { checkPermissions } from "../doctor/check-permissions.ts";
import { checkChannels, checkWorkspaces } from "../doctor/check-places.ts";
import { checkSenderIds } from "../doctor/check-sender-ids.ts";
import { checkRuntime } from "../doctor/check-runtime.ts";
import { checkToken } from "../doctor/check-token.ts";
import type { Finding } from "../doctor/finding.ts";

const MARKS = { ok: "ok     ", warning: "warning", error: "ERROR  " };

/** Looks at everything that commonly goes wrong. Changes nothing; each finding says what to do. */
export async function doctor(context: CliContext, { json }: { readonly json: boolean }): Promise<number> {
  const { env, paths } = context;
  const loaded = await loadConfig({ env, channels: CHANNELS });
  const findings: Finding[] = [
    ...checkRuntime({ node: process.versions.node, sqlite: process.versions["sqlite"] ?? "0" }),
    ...(await checkPermissions(paths, loaded.path)),
    ...(await checkDatabase(paths)),
    ...checkDamage(paths),
    ...checkConfig(loaded),
  ];
  if (loaded.type === "loaded") {
    findings.push(
      ...(await checkToken(loaded.config, context)),
      ...(await checkWorkspaces(loaded.config)),
      ...(await checkGateway(context, loaded)),
      ...(await checkModels(loaded.config, { env, fetch: globalThis.fetch })),
      ...(await checkChannels(loaded.config, env)),
      ...(await checkSenderIds(loaded.config)),
    );
  }
  const errors = findings.filter(({ level }) => level === "error").length;
  const warnings = findings.filter(({ level }) => level === "warning").length;
  if (json) {
    printJson(context, { ok: errors === 0, findings });
  } else {
    for (const { check, level, message, fix } of findings) {
      context.print(`${MARKS[level]}  ${check.padEnd(18)} ${message}\n${fix === undefined ? "" : `${" ".repeat(28)} → ${fix}\n`}`);
    }
    context.print(`\n${lastLine(errors, warnings)}\n`);
  }
  return errors === 0 ? EXIT.ok : EXIT.failure;
}

function lastLine(errors: number, warnings: number): string {
  if (errors > 0) return `${errors} ${errors === 1 ? "thing does" : "things do"} not work.`;
  return warnings === 0 ? "Nothing stands in the way." : `Everything works, with ${warnings} ${warnings === 1 ? "warning" : "warnings"}.`;
}
