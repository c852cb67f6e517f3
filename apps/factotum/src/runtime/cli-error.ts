import { EXIT, type CliErrorCode } from "./exit-codes.ts";

/** A failed command. `message` says what is wrong, `fix` what to do. */
export class CliError extends Error {
  readonly code: CliErrorCode;
  readonly fix: string | undefined;

  constructor(code: CliErrorCode, message: string, options: ErrorOptions & { readonly fix?: string } = {}) {
    super(message, options);
    this.name = "CliError";
    this.code = code;
    this.fix = options.fix;
  }

  get exitCode(): number {
    return EXIT[this.code];
  }
}
