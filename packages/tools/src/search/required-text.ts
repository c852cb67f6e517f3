/** Nearly every file contains shorter texts. */
const MIN_LENGTH = 2;

/** Escapes that match different texts. */
const CLASS_ESCAPES = "dDwWsSbBnrtfv";

/**
 * The longest text that each match of a pattern certainly contains, so that files without it need not be searched; `undefined` if no such text is known. With
 * `ignoreCase` the text is ASCII, for which all programs agree on case.
 */
export function requiredText(
  pattern: string,
  { literal, ignoreCase }: { readonly literal: boolean; readonly ignoreCase: boolean },
): string | undefined {
  const runs = literal ? [pattern] : certainRuns(pattern);
  const usable = (runs ?? []).filter((run) => isUsable(run, ignoreCase)).toSorted((one, other) => other.length - one.length);
  return usable[0];
}

function isUsable(run: string, ignoreCase: boolean): boolean {
  if (run.length < MIN_LENGTH || !run.isWellFormed() || /[\n\uFFFD\uFEFF\0]/u.test(run)) return false;
  return !ignoreCase || /^\p{ASCII}*$/u.test(run);
}

/** The literal parts of a regular expression that every match contains, outside of groups; `undefined` if the expression is not understood. */
function certainRuns(pattern: string): readonly string[] | undefined {
  // An alternative may lack them.
  if (pattern.includes("|")) return undefined;
  const runs: string[] = [];
  let run = "";
  const endRun = (): void => {
    runs.push(run);
    run = "";
  };
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern.charAt(at);
    switch (char) {
      case "\\": {
        at += 1;
        const escaped = pattern.charAt(at);
        if (CLASS_ESCAPES.includes(escaped)) endRun();
        else if (/[A-Za-z0-9]/.test(escaped) || escaped === "") return undefined;
        else run += escaped;
        break;
      }
      case "[":
      case "(": {
        const end = char === "[" ? endOfClass(pattern, at) : endOfGroup(pattern, at);
        if (end === undefined) return undefined;
        endRun();
        at = end;
        break;
      }
      case "*":
      case "?":
      case "{":
        // What came before it may occur no times.
        run = run.slice(0, -1);
        endRun();
        if (char === "{") at = Math.max(at, pattern.indexOf("}", at));
        break;
      case "+":
      case ".":
      case "^":
      case "$":
      case "}":
      case "]":
        endRun();
        break;
      case ")":
        return undefined;
      default:
        run += char;
    }
  }
  endRun();
  return runs;
}

/** The index of the bracket that closes a class. */
function endOfClass(pattern: string, start: number): number | undefined {
  for (let at = start + 1; at < pattern.length; at += 1) {
    if (pattern.charAt(at) === "\\") at += 1;
    else if (pattern.charAt(at) === "]") return at;
  }
  return undefined;
}

/** The index of the bracket that closes a group. */
function endOfGroup(pattern: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < pattern.length; at += 1) {
    const char = pattern.charAt(at);
    if (char === "\\") at += 1;
    else if (char === "[") {
      const end = endOfClass(pattern, at);
      if (end === undefined) return undefined;
      at = end;
    } else if (char === "(") depth += 1;
    else if (char === ")") {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return undefined;
}
