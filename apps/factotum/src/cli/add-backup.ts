import type { Command } from "commander";
import type * as BackupCommands from "../commands/backup.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json } from "./options.ts";

/** Commands of `factotum backup`. */
export function addBackup(program: Command, context: CliContext, finish: Finish): void {
  const backup = program.command("backup").description("back up everything into one file, check such a file, restore it");
  const load = async (): Promise<typeof BackupCommands> => import("../commands/backup.ts");
  backup
    .command("create")
    .description("write conversations, workspaces, received files and configuration into one .tar.gz; the gateway may run")
    .option("-o, --output <path>", "a new file, or a folder; by default factotum-backup-<time>.tar.gz in the current folder")
    .option("--secrets", "with the credentials: whoever reads the file has your keys")
    .addOption(json())
    .action(async (flags: { output?: string; secrets?: boolean; json?: boolean }) =>
      finish(await (await load()).backupCreate(context, { ...flags, secrets: flags.secrets === true, json: flags.json === true })),
    );
  backup
    .command("verify")
    .description("check that a backup is complete and unchanged, and that its database can be used")
    .argument("<file>")
    .addOption(json())
    .action(async (file: string, flags: { json?: boolean }) =>
      finish(await (await load()).backupVerify(context, file, { json: flags.json === true })),
    );
  backup
    .command("restore")
    .description("restore a backup into an empty state directory; the gateway must not run")
    .argument("<file>")
    .option("--forgotten <path>", "a state directory, or its forgotten.json: what was forgotten there is removed from what is restored")
    .addOption(json())
    .action(async (file: string, { json: asJson, ...flags }: { forgotten?: string; json?: boolean }) =>
      finish(await (await load()).backupRestore(context, file, { ...flags, json: asJson === true })),
    );
}
