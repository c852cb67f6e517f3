import { Command, type ErrorOptions } from "commander";

/** A command that names a mistyped option, and not only the required one that is missing because of it. */
export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  override error(message: string, options?: ErrorOptions): never {
    const unknown = options?.code === "commander.missingMandatoryOptionValue" ? this.args.find((one) => one.startsWith("-")) : undefined;
    return super.error(unknown === undefined ? message : message.replace(/^error: /, `error: unknown option '${unknown}', and `), options);
  }
}
