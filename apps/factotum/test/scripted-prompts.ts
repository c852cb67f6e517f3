import type { Prompts } from "../src/runtime/prompts.ts";

/** One answer, to the first question that fits; `undefined` leaves. */
export type ScriptedAnswer = readonly [question: RegExp, answer: string | boolean | undefined];

/** A person who gives these answers in order. A question that does not match the next one fails. */
export class ScriptedPrompts implements Prompts {
  /** Messages shown between the questions. */
  readonly said: string[] = [];
  /** Every question with its first choice, or its default. */
  readonly asked: string[] = [];
  readonly #answers: ScriptedAnswer[];

  constructor(answers: readonly ScriptedAnswer[]) {
    this.#answers = [...answers];
  }

  /** Answers that were never used. */
  get left(): readonly ScriptedAnswer[] {
    return this.#answers;
  }

  say(_level: string, text: string): void {
    this.said.push(text);
  }

  async select(question: string, choices: Parameters<Prompts["select"]>[1], initial?: string): Promise<string | undefined> {
    const answer = this.#next(`${question} [${initial ?? ""}]`) as string | undefined;
    if (answer !== undefined && !choices.some(({ value }) => value === answer))
      throw new Error(`"${question}" has no choice ${answer}: ${choices.map(({ value }) => value).join(", ")}`);
    return answer;
  }

  async password(question: string): Promise<string | undefined> {
    return this.#next(question) as string | undefined;
  }

  async text(question: string, initial: string): Promise<string | undefined> {
    return this.#next(`${question} [${initial}]`) as string | undefined;
  }

  async confirm(question: string): Promise<boolean | undefined> {
    return this.#next(question) as boolean | undefined;
  }

  #next(question: string): string | boolean | undefined {
    this.asked.push(question);
    const [expected, answer] = this.#answers.shift() ?? [];
    if (expected?.test(question) !== true) throw new Error(`it asked "${question}" where ${String(expected)} was expected`);
    return answer;
  }
}
