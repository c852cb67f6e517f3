/** A command that changes the focus of a conversation, from its arrival to its end. */
interface Change {
  readonly ended: Promise<void>;
  readonly end: () => void;
  isCarriedOut: boolean;
}

/** A message of a conversation: both keys are unique in the gateway. */
export interface OrderedMessage {
  readonly conversation: string;
  readonly id: string;
}

/**
 * The order of what is said in a conversation and of the commands that change its focus: a message goes where the conversation goes after the commands before it,
 * also if these arrive together with it and are still carried out.
 */
export class FocusOrder {
  /** By message. */
  readonly #open = new Map<string, Change>();
  /** By conversation: the last change. */
  readonly #last = new Map<string, Change>();

  /** A message arrives. Resolves when the changes before it have ended; dispose of it when the message is admitted, which begins its change if it is one. */
  async enter(message: OrderedMessage, { isChange }: { readonly isChange: boolean }): Promise<Disposable> {
    const before = this.#last.get(message.conversation);
    // One that is delivered again changes nothing.
    const own = isChange && !this.#open.has(message.id) ? this.#begin(message) : undefined;
    await before?.ended;
    return {
      [Symbol.dispose]: () => {
        if (own?.isCarriedOut === false) own.end();
      },
    };
  }

  /** The change of a message is carried out now, until the work ends. */
  carriedOut(message: OrderedMessage, work: Promise<unknown>): void {
    const change = this.#open.get(message.id) ?? this.#begin(message);
    change.isCarriedOut = true;
    // The work's failure is reported where it is done.
    work.then(change.end, change.end);
  }

  #begin({ conversation, id }: OrderedMessage): Change {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const change: Change = {
      ended,
      end: () => {
        this.#open.delete(id);
        if (this.#last.get(conversation) === change) this.#last.delete(conversation);
        resolve();
      },
      isCarriedOut: false,
    };
    this.#open.set(id, change);
    this.#last.set(conversation, change);
    return change;
  }
}
