import { Link } from "@tanstack/react-router";
import { formatCompact } from "../../app/locale.ts";
import { Loaded } from "../../data/loaded.tsx";
import { useRpc } from "../../data/use-rpc.ts";
import { t } from "../../i18n/t.ts";
import { Card } from "../../ui/card.tsx";
import { dayOf, periodOf } from "../usage/usage-period.ts";
import { costText } from "../usage/usage-texts.ts";

/** What all conversations have used today, by the browser's time zone. */
export function UsageCard(): React.JSX.Element {
  const today = dayOf();
  const { fromMs, toMs } = periodOf({ from: today, to: today });
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const usage = useRpc("usage.query", { fromMs, toMs, timeZone, by: ["day"], limit: 1 });
  return (
    <Card
      title={t("Cost today")}
      actions={
        <Link to="/usage" search={{ from: today, to: today }}>
          {t("Details")}
        </Link>
      }
    >
      <Loaded query={usage}>
        {({ total }) => (
          <dl className="facts">
            <dt>{t("Cost")}</dt>
            <dd>{costText(total)}</dd>
            <dt>{t("Tokens")}</dt>
            <dd>{formatCompact(total.total)}</dd>
          </dl>
        )}
      </Loaded>
    </Card>
  );
}
