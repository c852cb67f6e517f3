/** An unusable SKILL.md. The message says what to change in it. */
export class SkillFileError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SkillFileError";
  }
}
