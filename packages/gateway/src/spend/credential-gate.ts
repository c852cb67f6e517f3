import type { ModelEvent } from "@factotum/agent-contract";
import { waitInLine, type Waiter } from "../kernel/wait-in-line.ts";

/** Refused calls after which unattended runs stop using a credential, until a call with it is answered. */
const MAX_REFUSED = 3;

/** A credential by its name, and the provider that it is for. */
export interface CredentialName {
  readonly provider: string;
  readonly credential: string;
}

/** One call with a credential, until it is disposed of. */
export interface CredentialCall extends Disposable {
  /** Judges the credential by an event of the call's stream. */
  readonly observe: (event: ModelEvent) => void;
}

interface Verdict {
  /** Calls that were refused since the last one that was answered. */
  refused: number;
  /** Calls that were sent and of which it is not known whether the credential is taken. */
  unproven: number;
  /** The owner knows that runs pause. */
  isTold: boolean;
  readonly waiting: Set<Waiter>;
}

/**
 * Bounds what unattended runs ask with a refused credential, over all agents and causes: a call is sent only while the refused ones and those without a verdict
 * are fewer than three together, and waits for a verdict otherwise. A call that is answered, a person's too, proves the credential. People's calls never wait.
 */
export class CredentialGate {
  readonly #verdicts = new Map<string, Verdict>();

  /** Waits until a call may be sent; `undefined` if it may not. Rejects if the signal fires first. */
  async enter(
    name: CredentialName,
    { isAttended, signal }: { readonly isAttended: boolean; readonly signal: AbortSignal },
  ): Promise<CredentialCall | undefined> {
    const key = keyOf(name);
    if (isAttended)
      return {
        observe: (event) => {
          if (isAnswer(event)) this.#prove(key);
        },
        [Symbol.dispose]: () => undefined,
      };
    const verdict = this.#verdicts.get(key) ?? { refused: 0, unproven: 0, isTold: false, waiting: new Set() };
    this.#verdicts.set(key, verdict);
    while (verdict.refused < MAX_REFUSED && verdict.refused + verdict.unproven >= MAX_REFUSED) {
      signal.throwIfAborted();
      await waitInLine(verdict.waiting, {}, { signal, onEnter: () => undefined });
    }
    return verdict.refused < MAX_REFUSED ? this.#send(key, verdict) : undefined;
  }

  /** True once until a call with the credential is answered: its pause is to be reported. */
  tellOnce(name: CredentialName): boolean {
    const verdict = this.#verdicts.get(keyOf(name));
    if (verdict === undefined || verdict.isTold) return false;
    verdict.isTold = true;
    return true;
  }

  #send(key: string, verdict: Verdict): CredentialCall {
    verdict.unproven += 1;
    let isOpen = true;
    const end = (change: () => void): void => {
      if (!isOpen) return;
      isOpen = false;
      verdict.unproven -= 1;
      change();
      wake(verdict);
    };
    return {
      observe: (event) => {
        if (isAnswer(event)) end(() => this.#prove(key));
        else if (isRefusal(event)) end(() => void (verdict.refused += 1));
      },
      [Symbol.dispose]: () => end(() => undefined),
    };
  }

  #prove(key: string): void {
    const verdict = this.#verdicts.get(key);
    if (verdict === undefined || verdict.refused === 0) return;
    verdict.refused = 0;
    verdict.isTold = false;
    wake(verdict);
  }
}

function keyOf({ provider, credential }: CredentialName): string {
  return JSON.stringify([provider, credential]);
}

/** Each waiting call checks again whether it may be sent. */
function wake({ waiting }: Verdict): void {
  for (const { enter } of waiting) enter();
}

/** The start of a message may come before the provider's answer. */
function isAnswer({ type }: ModelEvent): boolean {
  return type !== "message-start" && type !== "message-failed";
}

/** A refusal of one model (403) says nothing about the others of a key. */
function isRefusal(event: ModelEvent): boolean {
  return event.type === "message-failed" && event.error.code === "unauthorized" && event.error.status !== 403;
}
