/** The command's exit codes. Documented in docs/cli.md; programs rely on them. */
export const EXIT: {
  readonly ok: 0;
  readonly failure: 1;
  readonly usage: 2;
  readonly notRunning: 3;
  readonly configInvalid: 4;
  readonly unauthorized: 5;
} = { ok: 0, failure: 1, usage: 2, notRunning: 3, configInvalid: 4, unauthorized: 5 };

/** Why a command failed. */
export type CliErrorCode = Exclude<keyof typeof EXIT, "ok">;
