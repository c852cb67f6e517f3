import type { Clock } from "@factotum/channel-contract";

/** The acknowledgement that a platform expects of a command or a pressed button. */
export interface InteractionDeadlineOptions {
  readonly clock: Pick<Clock, "schedule">;
  /** Milliseconds after which the acknowledgement is due: less than the platform waits. */
  readonly deadlineMs: number;
  /** Called if storing fails after the acknowledgement: the platform does not deliver it again, so the person has to be notified by a follow-up. */
  readonly onLateFailure: (error: unknown) => void;
}

/** When the acknowledgement may be sent: the result of storing, or that the deadline came first. */
export type Acknowledgement<T> = { readonly type: "stored"; readonly result: T } | { readonly type: "due" };

/**
 * Resolves once, when an interaction is to be acknowledged: as soon as it is stored, or at the deadline. What comes later is sent as a follow-up. Rejects if
 * storing fails before that: do not acknowledge.
 */
export async function meetDeadline<T>(stored: Promise<T>, options: InteractionDeadlineOptions): Promise<Acknowledgement<T>> {
  const { clock, deadlineMs, onLateFailure } = options;
  const { promise: due, resolve } = Promise.withResolvers<Acknowledgement<T>>();
  using _timer = clock.schedule(deadlineMs, () => resolve({ type: "due" }));
  const acknowledgement = await Promise.race([stored.then((result) => ({ type: "stored", result }) as const), due]);
  if (acknowledgement.type === "due") stored.catch(onLateFailure);
  return acknowledgement;
}
