/** How expensive a regular expression can be. */
type PatternCost =
  /** At most quadratic in the length of the text. */
  | "low"
  /** May backtrack for long: needs a time limit. */
  | "high"
  /** Nested repetition or a reference to a group: exponential for some texts. */
  | "unbounded";

/** Repeats what is before it; a group with choices inside must not have one. */
const QUANTIFIER = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/;

/** Judges the source of a valid expression by its structure, without running it. */
export function patternCost(source: string): PatternCost {
  const plain = source.replaceAll(/\[(?:\\.|[^\]\\])*\]/gsu, "c");
  if (/(?:^|[^\\])(?:\\\\)*\\(?:[1-9]|k<)/u.test(plain)) return "unbounded";
  const text = plain.replaceAll(/\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|.)/gsu, "c");
  let [quantifiers, choices] = [0, 0];
  const open: { hasChoice: boolean; alternatives: boolean }[] = [{ hasChoice: false, alternatives: false }];
  for (let at = 0; at < text.length; at += 1) {
    const group = open.at(-1);
    if (group === undefined) return "unbounded";
    if (text[at] === "(") {
      open.push({ hasChoice: false, alternatives: false });
      // `(?:`, `(?=`, `(?<name>`: the question mark repeats nothing.
      if (text[at + 1] === "?") at += 1;
    } else if (text[at] === "|") {
      group.hasChoice = group.alternatives = true;
    } else if (text[at] === ")") {
      const repeat = QUANTIFIER.exec(text.slice(at + 1))?.[0];
      if (repeat !== undefined && repeat[0] !== "?" && group.hasChoice) return "unbounded";
      open.pop();
      if (group.alternatives) choices += 1;
      const outer = open.at(-1);
      if (outer !== undefined) outer.hasChoice ||= group.hasChoice || repeat !== undefined;
    } else {
      const repeat = QUANTIFIER.exec(text.slice(at))?.[0];
      if (repeat === undefined) continue;
      quantifiers += 1;
      group.hasChoice = true;
      at += repeat.length - 1;
    }
  }
  return quantifiers <= 1 && choices <= 2 ? "low" : "high";
}
