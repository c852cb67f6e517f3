import type { ContextDiff, ContextRequest } from "@factotum/protocol";
import { formatExactDollars } from "../../app/locale.ts";
import { sentenceSpace } from "../../i18n/sentence-space.ts";
import { t } from "../../i18n/t.ts";
import { causeWords, count, partTitle } from "./context-words.ts";

/** Fewer tokens are the end of a block that no provider caches. */
const BLOCK_TOKENS = 1024;

/** One sentence, or two: what changed since the request before, why, and what it cost. */
export function changeSentence(diff: ContextDiff, { usage }: Pick<ContextRequest, "usage">): string {
  const { prefixHeld, reread } = diff;
  const lost = reread !== undefined && reread.tokens >= BLOCK_TOKENS ? reread : undefined;
  if (!prefixHeld) return joined(whatChanged(diff), costOf(lost));
  if (lost === undefined) {
    return usage.cacheRead === 0
      ? t("It begins exactly like the request before.")
      : t("It begins exactly like the request before: {tokens} tokens came from the provider’s cache.", { tokens: count(usage.cacheRead) });
  }
  return joined(t("It begins exactly like the request before, but the provider had not kept it in its cache."), costOf(lost));
}

function joined(sentence: string, next: string): string {
  return next === "" ? sentence : `${sentence}${sentenceSpace()}${next}`;
}

function whatChanged({ causes, firstDifference }: ContextDiff): string {
  const part = firstDifference === undefined ? undefined : partTitle(firstDifference.part);
  const why = causes.map(causeWords).join(t(", and "));
  if (part === undefined && why === "") return t("It begins differently from the request before, and no cause is known.");
  if (part === undefined) return t("It begins differently from the request before, because {causes}.", { causes: why });
  if (why === "") return t("It begins differently from the request before, first in “{part}”, and no cause is known.", { part });
  return t("It begins differently from the request before, first in “{part}”, because {causes}.", { part, causes: why });
}

function costOf(lost: ContextDiff["reread"]): string {
  if (lost === undefined) return "";
  const tokens = count(lost.tokens);
  return lost.costUsd === undefined
    ? t("So {tokens} tokens had to be read again instead of coming from the cache.", { tokens })
    : t("So {tokens} tokens had to be read again instead of coming from the cache, which cost {amount} more.", {
        tokens,
        amount: formatExactDollars(lost.costUsd),
      });
}
