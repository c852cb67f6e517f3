/** A schedule that cannot be used. The message says what is wrong and what to write instead. */
export class ScheduleError extends Error {
  override readonly name = "ScheduleError";
}
