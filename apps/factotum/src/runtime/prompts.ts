/** One of several answers. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Said beside it. */
  readonly hint?: string;
}

/** Asks a person at a terminal. An answer of `undefined` means that the person has left (Ctrl-C, Escape). */
export interface Prompts {
  /** Says something between two questions. */
  say(level: "info" | "success" | "warning", text: string): void;
  /** One of several; a long list can be searched. */
  select(question: string, choices: readonly Choice[], initial?: string): Promise<string | undefined>;
  /** Does not show what is typed. */
  password(question: string): Promise<string | undefined>;
  /** One line; an empty one is an answer, too. */
  text(question: string, initial: string): Promise<string | undefined>;
  confirm(question: string, initial: boolean): Promise<boolean | undefined>;
}
