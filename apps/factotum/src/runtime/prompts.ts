/** One of several answers. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Shown beside it. */
  readonly hint?: string;
}

/** Asks a person at a terminal. `undefined` as an answer means that the person has left (Ctrl-C, Escape). */
export interface Prompts {
  /** Shows a message between two questions. */
  say(level: "info" | "success" | "warning", text: string): void;
  /** One of several; a long list can be searched. */
  select(question: string, choices: readonly Choice[], initial?: string): Promise<string | undefined>;
  /** Does not echo the input. */
  password(question: string): Promise<string | undefined>;
  /** One line; an empty one is an answer, too. */
  text(question: string, initial: string): Promise<string | undefined>;
  confirm(question: string, initial: boolean): Promise<boolean | undefined>;
}
