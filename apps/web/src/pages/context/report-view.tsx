import type { ContextChange, ContextPart, ContextReport } from "@factotum/protocol";
import { bytes, count, partTitle, requestTitle, sizeOf } from "./context-words.ts";
import { DiffNote } from "./diff-note.tsx";
import { RequestFacts } from "./request-facts.tsx";
import { SectionRow } from "./section-row.tsx";
import { SizeBar } from "./size-bar.tsx";
import { t } from "../../i18n/t.ts";

/** One request: its cost, its changes, and its five parts. */
export function ReportView({ report }: { readonly report: ContextReport }): React.JSX.Element {
  const { request, parts, total, diff } = report;
  return (
    <article className="context-report" aria-label={requestTitle(request)}>
      <h2>{requestTitle(request)}</h2>
      <RequestFacts report={report} />
      {diff === undefined ? null : <DiffNote diff={diff} />}
      <p className="context-hint">
        {t("About {tokens} tokens, {size} of text. Only the provider’s own figures above are exact.", {
          tokens: count(total.tokens),
          size: bytes(total.bytes),
        })}
      </p>
      {parts.map((part) => (
        <PartView key={part.type} part={part} ofTokens={total.tokens} changes={diff?.changes ?? []} />
      ))}
    </article>
  );
}

interface PartViewProps {
  readonly part: ContextPart;
  readonly ofTokens: number;
  readonly changes: readonly ContextChange[];
}

function PartView({ part, ofTokens, changes }: PartViewProps): React.JSX.Element {
  const largest = Math.max(0, ...part.sections.map(({ tokens }) => tokens));
  const changed = new Map(changes.filter((change) => change.part === part.type).map(({ section, type }) => [section, type]));
  return (
    <section className="context-part" aria-label={partTitle(part.type)}>
      <div className="context-head">
        <h3>{partTitle(part.type)}</h3>
        <span className="context-size">{sizeOf(part.tokens, part.bytes)}</span>
        <SizeBar share={ofTokens === 0 ? 0 : part.tokens / ofTokens} />
      </div>
      {part.sections.length === 0 ? <p className="context-hint">{t("Nothing")}</p> : null}
      {part.sections.map((section) => (
        <SectionRow key={section.id} section={section} ofTokens={largest} change={changed.get(section.id)} />
      ))}
    </section>
  );
}
