import { type ClosingPage, leaveQuestion } from "./leave-question.ts";

/** A text as it is stored, with the hash that a change of it names. */
export interface StoredText {
  readonly text: string;
  readonly baseHash: string;
}

/** A text that was changed and not saved, with the stored one that it was made from. */
export interface Draft {
  readonly text: string;
  readonly base: StoredText;
}

/** The unsaved texts of a session, by name. They outlive the pages that show them; as long as there is one, the browser asks before the window is closed. */
export class TextDrafts {
  readonly #drafts = new Map<string, Draft>();
  readonly #askBeforeLeaving: (isNeeded: boolean) => void;

  constructor(page: ClosingPage) {
    this.#askBeforeLeaving = leaveQuestion(page);
  }

  get(name: string): Draft | undefined {
    return this.#drafts.get(name);
  }

  /** Keeps a draft; `undefined` drops it. */
  set(name: string, draft: Draft | undefined): void {
    if (draft === undefined) this.#drafts.delete(name);
    else this.#drafts.set(name, draft);
    this.#askBeforeLeaving(this.#drafts.size > 0);
  }

  /** Drops all drafts. */
  close(): void {
    this.#drafts.clear();
    this.#askBeforeLeaving(false);
  }
}
