/** A rule that a request broke. */
export interface RuleViolation {
  readonly rule: string;
  readonly message: string;
  /** The field that the vendor's error names, where its errors name one. */
  readonly param?: string;
}
