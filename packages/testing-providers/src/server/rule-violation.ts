/** A rule that a request broke. */
export interface RuleViolation {
  readonly rule: string;
  readonly message: string;
  /** The field in the vendor's error, if its errors name one. */
  readonly param?: string;
}
