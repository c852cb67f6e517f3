import type { ChannelHost } from "@factotum/channel-contract";
import { createBoundedMap } from "@factotum/channel-kit";
import { baseSubject } from "../subject.ts";

/** A mail, as far as a loop is recognised by it. */
interface GuardedMail {
  readonly person: string;
  readonly subject: string;
  /** The mails that it answers. */
  readonly answers: readonly string[];
}

/** Recognises programs that answer every answer and do not say that they are programs. */
export interface LoopGuard {
  /** Records an answer of the assistant. */
  recordSent(sent: { readonly id: string; readonly person: string; readonly subject: string }): void;
  /** True if the mail is one too many of those that came faster than a person writes. */
  isLoop(mail: GuardedMail): boolean;
  /** For people: what is not answered at the moment; `undefined` if nothing. */
  readonly problem: string | undefined;
}

/** No person reads and answers a mail in less. */
const FAST_MS = 20_000;
const HOUR_MS = 60 * 60 * 1000;
/** Fast answers that are accepted in an hour, of a sender and subject. */
const MAX_FAST = 5;
const MAX_KEPT = 1_000;

/** Creates a guard of one account. What it knows is lost with the process; a loop is then noticed again. */
export function createLoopGuard({ clock, logger }: Pick<ChannelHost, "clock" | "logger">): LoopGuard {
  const sentAt = createBoundedMap<string, number>(MAX_KEPT);
  const fastAt = createBoundedMap<string, readonly number[]>(MAX_KEPT);
  let stopped: { readonly person: string; readonly atMs: number } | undefined;
  const keyOf = (person: string, subject: string): string => `${person}\n${baseSubject(subject).toLowerCase()}`;
  const isRecent = (atMs: number | undefined, withinMs: number): boolean => atMs !== undefined && clock.monotonic() - atMs < withinMs;
  return {
    recordSent({ id, person, subject }) {
      sentAt.set(id, clock.monotonic());
      sentAt.set(keyOf(person, subject), clock.monotonic());
    },
    isLoop({ person, subject, answers }) {
      const key = keyOf(person, subject);
      // A program may answer without naming the mail; then the subject says that it answers.
      const isAnswer = answers.length > 0 || baseSubject(subject) !== subject.trim();
      const isFast =
        answers.length > 0 ? answers.some((id) => isRecent(sentAt.get(id), FAST_MS)) : isAnswer && isRecent(sentAt.get(key), FAST_MS);
      if (!isFast) return false;
      const times = [...(fastAt.get(key) ?? []).filter((atMs) => isRecent(atMs, HOUR_MS)), clock.monotonic()];
      fastAt.set(key, times.slice(-MAX_FAST - 1));
      if (times.length <= MAX_FAST) return false;
      stopped = { person, atMs: clock.monotonic() };
      logger.warn("mail refused: its sender answers faster than a person can", { sender: person });
      return true;
    },
    get problem() {
      return stopped !== undefined && isRecent(stopped.atMs, HOUR_MS)
        ? `${stopped.person} answers faster than a person can, probably a program: its fast answers are not answered for an hour`
        : undefined;
    },
  };
}
