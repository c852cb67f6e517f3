import { CliError } from "../runtime/cli-error.ts";

/** The archive is invalid: damaged, incomplete, or not made by this product. */
export class ArchiveError extends CliError {
  constructor(file: string, reason: string, options: ErrorOptions & { readonly fix?: string } = {}) {
    super("failure", `${file} ${reason}.`, { fix: "Use another backup: this one cannot be restored.", ...options });
    this.name = "ArchiveError";
  }
}
