import type { UsageReport } from "@factotum/protocol";
import { formatExactDollars, formatDay, formatWhole } from "../../app/locale.ts";
import { t } from "../../i18n/t.ts";
import { Card } from "../../ui/card.tsx";
import { cacheText, costText } from "./usage-texts.ts";
import styles from "./usage.module.css";

/** The sums of a period, and what was charged beyond the requests that are stored. */
export function SummaryCard({ report: { total, charged, storedSinceMs } }: { readonly report: UsageReport }): React.JSX.Element {
  const facts: readonly (readonly [string, string])[] = [
    [t("Cost"), costText(total)],
    [t("Tokens"), formatWhole(total.total)],
    [t("Requests"), formatWhole(total.requests)],
    [t("Failed requests"), formatWhole(total.failed)],
    [t("Cache hit rate"), cacheText(total)],
  ];
  const chargedTokens = charged.reduce((sum, { tokens }) => sum + tokens, 0);
  const chargedUsd = charged.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0);
  return (
    <Card title={t("In this period")}>
      <dl className={styles["sums"]}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {chargedTokens > total.total ? (
        <p className="note">
          {storedSinceMs === undefined
            ? t(
                "{tokens} tokens and {cost} were charged in all. That includes tests of models, media, and requests that are not kept any longer.",
                {
                  tokens: formatWhole(chargedTokens),
                  cost: formatExactDollars(chargedUsd),
                },
              )
            : t(
                "{tokens} tokens and {cost} were charged in all. That includes tests of models, media, and requests before {day}, which are not kept any longer.",
                { tokens: formatWhole(chargedTokens), cost: formatExactDollars(chargedUsd), day: formatDay(storedSinceMs) },
              )}
        </p>
      ) : null}
    </Card>
  );
}
