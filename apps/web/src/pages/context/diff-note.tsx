import type { ContextDiff } from "@factotum/protocol";
import { count, partTitle } from "./context-words.ts";
import { t } from "../../i18n/t.ts";

/** Describes the changes since the previous request; removed parts are shown only here. */
export function DiffNote({ diff }: { readonly diff: ContextDiff }): React.JSX.Element {
  const removed = diff.changes.filter(({ type }) => type === "removed");
  return (
    <div className={diff.prefixHeld ? "context-note" : "context-note warning"}>
      <p>{sentenceOf(diff)}</p>
      {removed.length === 0 ? null : (
        <ul>
          {removed.map(({ part, section, title, charsBefore }) => (
            <li key={`${part} ${section}`}>
              {t("Gone from {part}: {title} ({count} characters)", {
                part: partTitle(part).toLowerCase(),
                title,
                count: count(charsBefore),
              })}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function sentenceOf({ turn, request, prefixHeld, causes, firstDifference }: ContextDiff): string {
  if (prefixHeld) return t("It begins with turn {turn}, request {request}, byte for byte.", { turn, request });
  const why =
    causes.length === 0
      ? t("It does not begin with turn {turn}, request {request}, without a named cause", { turn, request })
      : t("It does not begin with turn {turn}, request {request}, because of {causes}", { turn, request, causes: causes.join(", ") });
  if (firstDifference === undefined) return `${why}.`;
  return `${why}: ${t("first in {part}.", { part: partTitle(firstDifference.part).toLowerCase() })}`;
}
