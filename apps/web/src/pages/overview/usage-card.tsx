import type { GatewayStatus } from "@factotum/protocol";
import { Link } from "@tanstack/react-router";
import { formatCompact, formatDollars } from "../../app/locale.ts";
import { t } from "../../i18n/t.ts";
import { Card } from "../../ui/card.tsx";
import styles from "./overview.module.css";

/** What all conversations have used so far. */
export function UsageCard({ usage: { totalTokens, costUsd } }: { readonly usage: GatewayStatus["usage"] }): React.JSX.Element {
  return (
    <Card title={t("Cost so far")} actions={<Link to="/usage">{t("Details")}</Link>}>
      <dl className={styles["facts"]}>
        <dt>{t("Cost")}</dt>
        <dd>{costOf(totalTokens, costUsd)}</dd>
        <dt>{t("Tokens")}</dt>
        <dd>{formatCompact(totalTokens)}</dd>
      </dl>
    </Card>
  );
}

function costOf(tokens: number, costUsd: number | undefined): string {
  if (tokens === 0 || costUsd === 0) return "$0.00";
  return costUsd === undefined ? t("no price is known") : formatDollars(costUsd);
}
