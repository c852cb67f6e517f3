import type { ChangeChecker, CheckedFile, RunFacts } from "@factotum/agent-contract";
import type { RunFiles } from "../file-access/create-file-access.ts";

/** The text of a file before and after a change. */
export interface PlannedText {
  /** As the model named it. */
  readonly path: string;
  /** Absent for a new file. */
  readonly before?: CheckedFile;
  readonly after: string;
}

/** What a check depends on. */
export interface CheckParts {
  readonly checker: ChangeChecker | undefined;
  readonly access: Pick<RunFiles, "openFile">;
  readonly run: RunFacts;
  readonly signal: AbortSignal;
}

/** What a check adds to the result of a change. */
export interface Checked<Result> {
  readonly made: Result;
  /** Behind the text of the result; empty if the change introduced no error that is known. */
  readonly errors: string;
  /** The errors quote text of others. */
  readonly untrusted: boolean;
}

/** Makes a change of files, and finds the errors that it introduces. Rejects only if `make` does. */
export async function changeChecked<Result>(
  planned: readonly PlannedText[],
  make: () => Promise<Result>,
  { checker, access, run, signal }: CheckParts,
): Promise<Checked<Result>> {
  const covered = checker === undefined ? [] : planned.filter(({ path, before }) => checker.covers(before?.path ?? path, run));
  if (checker === undefined || covered.length === 0) return { made: await make(), errors: "", untrusted: false };
  using check = checker.begin(
    covered.flatMap(({ before }) => before ?? []),
    run,
  );
  const made = await make();
  const now: CheckedFile[] = [];
  let untrusted = false;
  for (const { path, after } of covered) {
    try {
      await using file = await access.openFile(path);
      now.push({ path: file.path, shown: file.shown, text: after });
      untrusted ||= file.untrusted;
    } catch {
      // Gone already, so there is nothing to check.
    }
  }
  const errors = await check.introduced(now, { signal });
  return errors === undefined ? { made, errors: "", untrusted: false } : { made, errors: `\n${errors}`, untrusted };
}
