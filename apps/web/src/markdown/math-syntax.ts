import type { Code, Construct, Effects, Extension, State, TokenizeContext } from "micromark-util-types";

declare module "micromark-util-types" {
  interface TokenTypeMap {
    formula: "formula";
    formulaData: "formulaData";
  }
}

const BACKSLASH = 92;
const isLineEnd = (code: Code): boolean => code !== null && code < -2;
const isSpace = (code: Code): boolean => code === -2 || code === -1 || code === 32;

/** A formula continues here: not an empty line, and not a line that only seems to belong to the surrounding quote or list. */
const nextLine: Construct = {
  partial: true,
  tokenize(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
    const hasText: State = (code) => (code === null || isLineEnd(code) ? nok(code) : ok(code));
    const indent: State = (code) => {
      if (isSpace(code)) {
        effects.consume(code);
        return indent;
      }
      effects.exit("formulaData");
      return hasText(code);
    };
    const lineStart: State = (code) => {
      if (this.parser.lazy[this.now().line] === true) return nok(code);
      if (!isSpace(code)) return hasText(code);
      effects.enter("formulaData");
      return indent(code);
    };
    return (code) => {
      effects.enter("lineEnding");
      effects.consume(code);
      effects.exit("lineEnding");
      return lineStart;
    };
  },
};

/** The two characters that open or close a formula; with `endsLine`, only spaces may follow them. */
function delimiter([first = "", second = ""]: string, { endsLine }: { readonly endsLine: boolean }): Construct {
  return {
    partial: true,
    tokenize(effects: Effects, ok: State, nok: State): State {
      const rest: State = (code) => {
        if (endsLine && isSpace(code)) {
          effects.consume(code);
          return rest;
        }
        if (endsLine && code !== null && !isLineEnd(code)) return nok(code);
        effects.exit("formulaData");
        return ok(code);
      };
      const last: State = (code) => {
        if (code !== second.charCodeAt(0)) return nok(code);
        effects.consume(code);
        return rest;
      };
      return (code) => {
        if (code !== first.charCodeAt(0)) return nok(code);
        effects.enter("formulaData");
        effects.consume(code);
        return last;
      };
    },
  };
}

/** The content between the delimiters; `onStop` is called at line ends, the end of the text, and possible closing delimiters. */
function createContent(effects: Effects, close: string, onStop: State): State {
  const stops = (code: Code): boolean => code === null || isLineEnd(code) || code === close.charCodeAt(0);
  const inside: State = (code) => {
    if (stops(code) || code === BACKSLASH) {
      effects.exit("formulaData");
      return content(code);
    }
    effects.consume(code);
    return inside;
  };
  /** A backslash escapes the next character: `\$` and `\\` close nothing. */
  const escaped: State = (code) => {
    if (code === null || isLineEnd(code)) return inside(code);
    effects.consume(code);
    return inside;
  };
  const content: State = (code) => {
    if (stops(code)) return onStop(code);
    return take(code);
  };
  const take: State = (code) => {
    effects.enter("formulaData");
    effects.consume(code);
    return code === BACKSLASH ? escaped : inside;
  };
  return (code) => (stops(code) && code !== null && !isLineEnd(code) ? take(code) : content(code));
}

/** A formula on lines of its own. Without its end it continues to the next empty line, so that an unfinished one is not shown as text. */
function displayFormula(open: string, close: string): Construct {
  return {
    name: "displayFormula",
    concrete: true,
    tokenize(effects: Effects, ok: State, nok: State): State {
      let isFirstLine = true;
      const end: State = (code) => {
        effects.exit("formula");
        return ok(code);
      };
      const stop: State = (code) => {
        if (code === null) return end(code);
        if (!isLineEnd(code)) return effects.attempt(delimiter(close, { endsLine: true }), end, notTheEnd)(code);
        isFirstLine = false;
        return effects.attempt(nextLine, begin, end)(code);
      };
      const content = createContent(effects, close, stop);
      const begin: State = (code) => (code === close.charCodeAt(0) ? stop(code) : content(code));
      // Text after the end: an inline formula.
      const notTheEnd: State = (code) =>
        isFirstLine ? effects.check(delimiter(close, { endsLine: false }), nok, content)(code) : content(code);
      return (code) => {
        effects.enter("formula");
        return effects.attempt(delimiter(open, { endsLine: false }), begin, nok)(code);
      };
    },
  };
}

/** A formula within a text. Without its end it is text. */
function inlineFormula(open: string, close: string): Construct {
  return {
    name: "inlineFormula",
    tokenize(effects: Effects, ok: State, nok: State): State {
      const end: State = (code) => {
        effects.exit("formula");
        return ok(code);
      };
      const stop: State = (code) => {
        if (code === null) return nok(code);
        if (!isLineEnd(code)) return effects.attempt(delimiter(close, { endsLine: false }), end, content)(code);
        effects.enter("lineEnding");
        effects.consume(code);
        effects.exit("lineEnding");
        return begin;
      };
      const content = createContent(effects, close, stop);
      const begin: State = (code) => (code === close.charCodeAt(0) ? stop(code) : content(code));
      return (code) => {
        effects.enter("formula");
        return effects.attempt(delimiter(open, { endsLine: false }), begin, nok)(code);
      };
    },
  };
}

/** Formulas as models write them: `\( \)`, `\[ \]` and `$$ $$`. A single `$` is a currency sign. */
export const mathSyntax: Extension = {
  flow: { [BACKSLASH]: displayFormula("\\[", "\\]"), ["$".charCodeAt(0)]: displayFormula("$$", "$$") },
  text: {
    [BACKSLASH]: [inlineFormula("\\(", "\\)"), inlineFormula("\\[", "\\]")],
    ["$".charCodeAt(0)]: inlineFormula("$$", "$$"),
  },
};
