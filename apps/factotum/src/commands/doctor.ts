import { withoutUndefined } from "@factotum/agent-contract";
import { loadConfig } from "@factotum/config";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { configOptions, findInstalled } from "../compose/extensions.ts";
import { senderIdProblems } from "../compose/sender-id-problems.ts";
import { sharedLogins } from "../compose/shared-logins.ts";
import { checkAccounts } from "../doctor/check-accounts.ts";
import { checkConfig } from "../doctor/check-config.ts";
import { checkDamage, checkDatabase } from "../doctor/check-damage.ts";
import { checkDisk } from "../doctor/check-disk.ts";
import { checkExtensions } from "../doctor/check-extensions.ts";
import { checkGateway } from "../doctor/check-gateway.ts";
import { checkLogins } from "../doctor/check-logins.ts";
import { checkMedia } from "../doctor/check-media.ts";
import { checkModels } from "../doctor/check-models.ts";
import { checkPermissions } from "../doctor/check-permissions.ts";
import { checkChannels, checkWorkspaces } from "../doctor/check-places.ts";
import { checkSenderIds } from "../doctor/check-sender-ids.ts";
import { checkRuntime } from "../doctor/check-runtime.ts";
import { checkSandbox } from "../doctor/check-sandbox.ts";
import { checkSettings } from "../doctor/check-settings.ts";
import { checkSharedLogins } from "../doctor/check-shared-logins.ts";
import { checkSkills } from "../doctor/check-skills.ts";
import { checkToken } from "../doctor/check-token.ts";
import { commandSearchPath } from "../compose/command-environment.ts";
import { checkExternalAgents } from "../doctor/check-external-agents.ts";
import { checkWeb } from "../doctor/check-web.ts";
import { checkEnvironment, findGatewayEnvironment } from "../doctor/gateway-environment.ts";
import type { Finding } from "../doctor/finding.ts";

const MARKS = { ok: "ok     ", warning: "warning", error: "ERROR  " };

/** How the command is run. */
export interface DoctorOptions {
  readonly json: boolean;
  /** Repairs what can be repaired without data loss, and checks again. */
  readonly fix: boolean;
}

/** Checks for common problems; each finding says what to do. Changes nothing without `fix`. */
export async function doctor(context: CliContext, { json, fix }: DoctorOptions): Promise<number> {
  let findings = await examine(context);
  const { fixed, failed } = fix ? await repairAll(findings) : { fixed: [], failed: [] };
  if (fixed.length > 0) findings = await examine(context);
  findings = [...findings, ...failed];
  const errors = findings.filter(({ level }) => level === "error").length;
  const warnings = findings.filter(({ level }) => level === "warning").length;
  const code = errors === 0 ? EXIT.ok : EXIT.failure;
  if (json) {
    // The repair of a finding is not part of its JSON.
    printJson(context, { ok: errors === 0, errors, warnings, fixed, findings });
    return code;
  }
  for (const message of fixed) context.print(`fixed    ${message}\n`);
  for (const { check, level, message, fix: advice, repair } of findings) {
    const more = advice === undefined ? "" : `${" ".repeat(28)} → ${advice}\n`;
    context.print(`${MARKS[level]}  ${check.padEnd(18)} ${message}\n${more}`);
    if (repair !== undefined && !fix) context.print(`${" ".repeat(28)}   "factotum doctor --fix" does it.\n`);
  }
  context.print(`\n${lastLine(errors, warnings, code)}\n`);
  return code;
}

async function examine(context: CliContext): Promise<readonly Finding[]> {
  const { env, paths } = context;
  const catalog = await configOptions(env);
  const loaded = await loadConfig(catalog);
  const findings: Finding[] = [
    ...checkRuntime({ node: process.versions.node, sqlite: process.versions["sqlite"] ?? "0" }),
    ...(await checkPermissions(paths, loaded.path)),
    ...(await checkDisk(paths.home)),
    ...(await checkDatabase(paths)),
    ...checkDamage(paths),
    ...checkConfig(loaded),
  ];
  const extensions = await checkExtensions(await findInstalled(env), loaded.type === "loaded" ? loaded.config : undefined);
  findings.push(...extensions);
  if (loaded.type === "refused") return findings;
  const { config } = loaded;
  const own = await findGatewayEnvironment(context);
  const idProblems = await senderIdProblems(loaded.written, catalog);
  const channels = await checkChannels(config, own.env);
  const isOff = new Set(channels.flatMap(({ level, account }) => (level === "error" ? (account ?? []) : [])));
  // Of an account without its secrets the gateway tells the same, with advice for any failure.
  const gateway = (await checkGateway(context, loaded)).filter(({ account }) => account === undefined || !isOff.has(account));
  return [
    ...findings,
    ...checkEnvironment(own, context, loaded),
    ...(await checkToken(config, { ...context, env: own.env })),
    ...(await checkWorkspaces(config)),
    ...gateway,
    ...(await checkModels(loaded, { env: own.env, fetch: globalThis.fetch })),
    ...(await checkMedia(config, own.env)),
    ...channels,
    ...checkSharedLogins(await sharedLogins(loaded, { env: own.env, catalog: async () => catalog })),
    ...(await checkLogins(context, config, own.env)),
    ...checkAccounts(config, idProblems),
    ...checkSenderIds(idProblems),
    ...checkSettings(config),
    ...(await checkSkills(config, context)),
    ...checkExternalAgents(config, commandSearchPath({ ...context, env: own.env })),
    ...(await checkWeb(config, own.env)),
    ...(await checkSandbox({ ...context, env: own.env }, config)),
  ];
}

/** Repairs findings. A repair that fails is a finding of its own, and prevents no other. */
async function repairAll(
  findings: readonly Finding[],
): Promise<{ readonly fixed: readonly string[]; readonly failed: readonly Finding[] }> {
  const fixed: string[] = [];
  const failed: Finding[] = [];
  for (const { check, message, repair } of findings) {
    if (repair === undefined) continue;
    try {
      await repair();
      fixed.push(message);
    } catch (error) {
      const reason = error instanceof Error ? error.message : "unknown error";
      const advice = error instanceof CliError ? error.fix : undefined;
      failed.push({ check, level: "error", message: `The repair failed: ${reason}`, ...withoutUndefined({ fix: advice }) });
    }
  }
  return { fixed, failed };
}

function lastLine(errors: number, warnings: number, code: number): string {
  const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;
  const withWarnings = warnings === 0 ? "" : ` with ${counted(warnings, "warning")}`;
  const result =
    errors === 0
      ? `Passed${withWarnings}`
      : `Failed: ${counted(errors, "error")}${warnings === 0 ? "" : `, ${counted(warnings, "warning")}`}`;
  return `${result} (exit code ${code}).`;
}
