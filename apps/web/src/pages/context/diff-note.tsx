import type { ContextDiff } from "@factotum/protocol";
import { count, PART_TITLES } from "./context-words.ts";

/** Describes the changes since the previous request; removed parts are shown only here. */
export function DiffNote({ diff }: { readonly diff: ContextDiff }): React.JSX.Element {
  const removed = diff.changes.filter(({ type }) => type === "removed");
  const since = `turn ${diff.turn}, request ${diff.request}`;
  const causes = diff.causes.length === 0 ? "without a named cause" : `because of ${diff.causes.join(", ")}`;
  return (
    <div className={diff.prefixHeld ? "context-note" : "context-note warning"}>
      <p>
        {diff.prefixHeld
          ? `It begins with ${since}, byte for byte.`
          : `It does not begin with ${since}, ${causes}${diff.firstDifference === undefined ? "" : `: first in ${PART_TITLES[diff.firstDifference.part].toLowerCase()}`}.`}
      </p>
      {removed.length === 0 ? null : (
        <ul>
          {removed.map(({ part, section, title, charsBefore }) => (
            <li key={`${part} ${section}`}>
              Gone from {PART_TITLES[part].toLowerCase()}: {title} ({count(charsBefore)} characters)
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
