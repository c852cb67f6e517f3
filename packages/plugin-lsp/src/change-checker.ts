import type { ChangeCheck, ChangeChecker, CheckedFile, Clock, RunFacts } from "@factotum/agent-contract";
import type { Diagnostic } from "vscode-languageserver-protocol";
import { introducedErrors } from "./introduced-errors.ts";
import { extensionOf } from "./languages.ts";
import type { LspServer } from "./lsp-server.ts";
import type { LspPlace } from "./ports.ts";
import { isInside } from "./project-files.ts";
import { renderDiagnostics } from "./render-diagnostics.ts";
import type { RunningServer } from "./running-server.ts";
import { TextLines } from "./text-lines.ts";

/** How long the answer of a change waits. */
const WAIT_MS = 5_000;
/** Files of one change that are checked, the first ones. */
const MAX_FILES = 5;
const MAX_CHARS = 500_000;
const MAX_SHOWN = 10;

/** What checks need. */
export interface CheckerParts {
  readonly clock: Clock;
  readonly isEnabled: () => boolean;
  /** The server of a file, if there is one. */
  readonly serverOf: (path: string, workspace: string) => LspServer | undefined;
  readonly hideSecrets: (text: string) => string;
}

/** What was found in a file before the change. */
interface Baseline {
  readonly items: Promise<readonly Diagnostic[] | undefined>;
  readonly text: string;
}

/** Compares what language servers find in files before and after a change. */
export function createChangeChecker(parts: CheckerParts): ChangeChecker {
  const covers = (path: string, run: RunFacts): boolean =>
    run.owner && parts.isEnabled() && parts.serverOf(path, run.workspace) !== undefined;
  return {
    covers,
    begin: (files, run) =>
      beginCheck(
        files.filter(({ path }) => covers(path, run) && isInside(run.workspace, path)),
        run,
        { ...parts, covers },
      ),
  };
}

function beginCheck(
  files: readonly CheckedFile[],
  run: RunFacts,
  { clock, serverOf, hideSecrets, covers }: CheckerParts & Pick<ChangeChecker, "covers">,
): ChangeCheck {
  const ended = new AbortController();
  const place: LspPlace = {
    agentId: run.agentId,
    workspace: run.workspace,
    ...(run.sandbox === undefined ? {} : { sandbox: run.sandbox }),
  };
  const known = new Map(files.map(({ path }) => [path, true]));
  const open = async (path: string, text: string): Promise<RunningServer | undefined> => {
    const owner = serverOf(path, run.workspace);
    const languageId = owner?.languages.get(extensionOf(path));
    if (owner === undefined || languageId === undefined) return undefined;
    const started = await owner.use(place, path);
    if (started.type === "down" || ended.signal.aborted) return undefined;
    started.server.sync(path, text, languageId);
    return started.server;
  };
  const diagnose = async (path: string, text: string): Promise<readonly Diagnostic[] | undefined> =>
    (await open(path, text))?.diagnose(path, { timeoutMs: WAIT_MS, signal: ended.signal });
  const baselines = new Map<string, Baseline>(
    files
      .filter(isChecked)
      .slice(0, MAX_FILES)
      .map(({ path, text }) => [path, { text, items: diagnose(path, text) }]),
  );
  const checkFile = async ({ path, shown, text }: CheckedFile): Promise<string | undefined> => {
    const baseline = baselines.get(path);
    const before = baseline === undefined ? [] : await baseline.items;
    const server = await open(path, text);
    server?.fileChanged(path, known.has(path) ? "changed" : "created");
    const after = await server?.diagnose(path, { timeoutMs: WAIT_MS, signal: ended.signal });
    if (before === undefined || after === undefined || server === undefined) return undefined;
    const lines = new TextLines(text);
    const found = introducedErrors({ items: before, lines: new TextLines(baseline?.text ?? "") }, { items: after, lines });
    if (found.length === 0) return undefined;
    const rendered = renderDiagnostics(found, { lines, encoding: server.encoding, max: MAX_SHOWN });
    return hideSecrets(`This change introduced errors in ${shown}:\n${rendered}`);
  };
  return {
    async introduced(now, { signal }) {
      const isOver = Promise.withResolvers<undefined>();
      using _timer = clock.schedule(WAIT_MS, () => isOver.resolve(undefined));
      const stop = (): void => isOver.resolve(undefined);
      signal.addEventListener("abort", stop, { once: true });
      const checked = now
        .filter((file) => isChecked(file) && covers(file.path, run) && isInside(run.workspace, file.path))
        .slice(0, MAX_FILES);
      try {
        const found = await Promise.all(
          checked.map(async (file) => Promise.race([checkFile(file).catch(() => undefined), isOver.promise])),
        );
        const texts = found.filter((text) => text !== undefined);
        return texts.length === 0 ? undefined : texts.join("\n");
      } finally {
        signal.removeEventListener("abort", stop);
      }
    },
    // The server has texts that it was not given yet from a later use on.
    [Symbol.dispose]: () => ended.abort(),
  };
}

function isChecked({ text }: CheckedFile): boolean {
  return text.length <= MAX_CHARS;
}
