/** A skill that cannot be installed, checked or removed. The message says why, `fix` what to do. Nothing was changed. */
export class SkillInstallError extends Error {
  readonly fix: string;

  constructor(message: string, { fix, ...options }: ErrorOptions & { readonly fix: string }) {
    super(message, options);
    this.name = "SkillInstallError";
    this.fix = fix;
  }
}

/** An archive or folder whose contents must not be unpacked. */
export function refusedSource(reason: string, options: ErrorOptions = {}): SkillInstallError {
  return new SkillInstallError(`The source is refused: ${reason}.`, {
    fix: "Nothing was installed. Ask its author for a skill that is a plain folder of files.",
    ...options,
  });
}
