import { statSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import { loadConfig } from "@factotum/config";
import { createBackup, type CreatedBackup } from "../backup/create-backup.ts";
import type { BackupManifest } from "../backup/manifest.ts";
import { restoreBackup, type RestoredBackup } from "../backup/restore-backup.ts";
import { verifyBackup } from "../backup/verify-backup.ts";
import { configOptions } from "../compose/extensions.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { refusedStart } from "../runtime/refused-start.ts";

/** Options of `backup create`. */
export interface BackupCreateOptions {
  /** A new file, or a folder for a file with the default name; the current folder by default. */
  readonly output?: string;
  /** Includes credentials. */
  readonly secrets: boolean;
  readonly json: boolean;
}

/** Maximum omitted items that are listed; the rest is counted. */
const SHOWN_LEFT_OUT = 10;

/** Writes and verifies a backup, with or without a running gateway. */
export async function backupCreate(cli: CliContext, { output, secrets, json }: BackupCreateOptions): Promise<number> {
  const loaded = await loadConfig(await configOptions(cli.env));
  if (loaded.type === "refused") throw refusedStart(loaded);
  const { version, signal } = cli;
  const created = await unlessStopped(cli, "nothing was written", async () =>
    createBackup(loaded, { output: outputOf(output), secrets, version, signal }),
  );
  if (json) {
    const { file, bytes, manifest } = created;
    printJson(cli, { file, bytes, ...summary(manifest), literalSecrets: created.literalSecrets });
  } else describeCreated(cli, created);
  return EXIT.ok;
}

/** Checks a backup without restoring it. */
export async function backupVerify(cli: CliContext, file: string, { json }: { readonly json: boolean }): Promise<number> {
  const path = resolve(file);
  await using work = await temporaryFolder();
  const manifest = await unlessStopped(cli, "the backup was not checked to its end", async () =>
    verifyBackup(path, { workFolder: work.path, signal: cli.signal }),
  );
  const { size } = await stat(path);
  if (json) printJson(cli, { file: path, bytes: size, ...summary(manifest) });
  else cli.print(`${path} is sound and complete (${showBytes(size)}).\n${describe(manifest).join("\n")}\n`);
  return EXIT.ok;
}

/** Restores a backup into an empty state directory. `forgotten`: where else there is a list of what must not return. */
export async function backupRestore(
  cli: CliContext,
  file: string,
  { forgotten, json }: { readonly forgotten?: string; readonly json: boolean },
): Promise<number> {
  const { paths, env, signal } = cli;
  const options = { paths, env, signal, ...withoutUndefined({ forgotten: forgotten === undefined ? undefined : resolve(forgotten) }) };
  const restored = await unlessStopped(cli, "nothing was restored", async () => restoreBackup(resolve(file), options));
  const { manifest, abandoned, moved } = restored;
  const facts = { abandoned: abandoned ?? null, movedWorkspaces: moved, forgotten: restored.forgotten };
  if (json) printJson(cli, { home: paths.home, ...summary(manifest), ...facts });
  else describeRestored(cli, restored);
  return EXIT.ok;
}

function outputOf(output: string | undefined): string {
  const name = `factotum-backup-${new Date().toISOString().replace(/\.\d+/, "").replaceAll(":", "-")}.tar.gz`;
  if (output === undefined) return resolve(name);
  const isFolder = output.endsWith("/") || statSync(output, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? resolve(output, name) : resolve(output);
}

function describeCreated(cli: CliContext, { file, bytes, manifest, literalSecrets }: CreatedBackup): void {
  cli.print(`${file} (${showBytes(bytes)}) is written and verified.\n${describe(manifest).join("\n")}\n`);
  const { leftOut, leftOutCount } = manifest;
  for (const { path, reason } of leftOut.slice(0, SHOWN_LEFT_OUT)) cli.note(`factotum: not in the backup: ${path}: ${reason}\n`);
  if (leftOutCount > SHOWN_LEFT_OUT) cli.note(`factotum: not in the backup: ${leftOutCount - SHOWN_LEFT_OUT} more (--json lists them)\n`);
  if (!manifest.secrets && literalSecrets.length > 0)
    cli.note(
      `factotum: the configuration holds secrets as plain text, and so does the backup: ${literalSecrets.join(", ")}\nKeep provider keys in files with "factotum auth set", then make the backup again.\n`,
    );
}

function describeRestored(cli: CliContext, { manifest, abandoned, moved, forgotten }: RestoredBackup): void {
  const pending = (abandoned?.inputs ?? 0) + (abandoned?.outbound ?? 0);
  cli.print(`${cli.paths.home} is restored.\n${describe(manifest).join("\n")}\n`);
  if (pending > 0)
    cli.print(
      `${pending} ${pending === 1 ? "message was" : "messages were"} pending and may have been dealt with since, so nothing is repeated: factotum deadletters list\n`,
    );
  if (forgotten > 0)
    cli.print(`What was forgotten is removed from it again (${forgotten} ${forgotten === 1 ? "decision" : "decisions"}).\n`);
  for (const { agent, from, to, isConfigured } of moved)
    cli.print(
      `The workspace of agent ${agent} was ${from} and is ${to} now${isConfigured ? "" : "; the configuration does not say so yet"}.\n`,
    );
  if (!manifest.secrets) cli.print("Credentials are not in this backup: set the keys again (factotum auth set PROVIDER).\n");
  if ((cli.env["FACTOTUM_CONFIG"] ?? "").trim() !== "")
    cli.note("factotum: FACTOTUM_CONFIG is set, so the restored configuration in the state directory is not the one in use\n");
  cli.print('Check it with "factotum doctor", then start it with "factotum gateway start".\n');
}

function describe({ createdAtMs, version, database, files, secrets }: BackupManifest): readonly string[] {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const sessions = database === undefined ? "no database" : `${database.sessions} ${database.sessions === 1 ? "session" : "sessions"}`;
  return [
    `  made      ${new Date(createdAtMs).toISOString()} by Factotum ${version}`,
    `  holds     ${sessions}, ${files.length} ${files.length === 1 ? "file" : "files"}, ${showBytes(bytes)} unpacked`,
    `  secrets   ${secrets ? "credentials are in it" : "no credentials"}`,
  ];
}

/** The manifest for programs, without the list of all files. */
function summary({ files, createdAtMs, version, home, secrets, database, leftOut, leftOutCount }: BackupManifest): object {
  const unpackedBytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return { createdAtMs, version, home, secrets, database: database ?? null, files: files.length, unpackedBytes, leftOut, leftOutCount };
}

function showBytes(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

async function temporaryFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "factotum-verify-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Reports what remains after a signal. */
async function unlessStopped<Result>({ signal }: CliContext, consequence: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new CliError("failure", `The command was stopped, and ${consequence}.`, { cause: error });
  }
}
