import type { UsageReport } from "@factotum/protocol";
import { formatExactDollars, formatMoment, formatWhole } from "../../app/locale.ts";
import { t } from "../../i18n/t.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { causeText } from "./usage-texts.ts";
import styles from "./usage.module.css";

type Cap = UsageReport["caps"][number];

/** The limits of today, and what remains under each. */
export function CapsCard({ caps }: Pick<UsageReport, "caps">): React.JSX.Element {
  return (
    <Card title={t("Limits of today")}>
      {caps.length === 0 ? (
        <EmptyState>{t("No limit is set. It is set under spend in the configuration.")}</EmptyState>
      ) : (
        <ul className={styles["caps"]}>
          {caps.map((cap) => (
            <CapItem key={`${cap.agent} ${cap.name}`} cap={cap} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function CapItem({ cap }: { readonly cap: Cap }): React.JSX.Element {
  const { agent, name, tokensPerDay, tokensLeft = 0, tokens, usdPerDay, usdLeft = 0, costUsd, resetsAtMs } = cap;
  const title = t("{name}: {value}", { name: agent, value: capText(name) });
  const isUsedUp = (tokensPerDay !== undefined && tokensLeft <= 0) || (usdPerDay !== undefined && usdLeft <= 0);
  return (
    <li>
      <div className={styles["cap-head"]}>
        <h3>{title}</h3>
        {isUsedUp ? <Badge tone="bad">{t("Used up")}</Badge> : null}
      </div>
      {usdPerDay === undefined ? null : (
        <CapBar
          label={t("{limit}: cost", { limit: title })}
          used={costUsd}
          of={usdPerDay}
          text={t("{left} of {limit} left", { left: formatExactDollars(usdLeft), limit: formatExactDollars(usdPerDay) })}
        />
      )}
      {tokensPerDay === undefined ? null : (
        <CapBar
          label={t("{limit}: tokens", { limit: title })}
          used={tokens}
          of={tokensPerDay}
          text={t("{left} of {limit} tokens left", { left: formatWhole(tokensLeft), limit: formatWhole(tokensPerDay) })}
        />
      )}
      <small>
        <code>{name}</code> · {t("until {time}", { time: formatMoment(resetsAtMs) })}
      </small>
    </li>
  );
}

interface CapBarProps {
  readonly label: string;
  readonly used: number;
  readonly of: number;
  readonly text: string;
}

function CapBar({ label, used, of, text }: CapBarProps): React.JSX.Element {
  return (
    <div className={styles["cap-bar"]}>
      <progress aria-label={label} aria-valuetext={text} max={Math.max(of, Number.MIN_VALUE)} value={Math.min(used, of)} />
      <span>{text}</span>
    </div>
  );
}

/** A key of the configuration in words. */
function capText(name: string): string {
  const [, kind, cause = ""] = name.split(".");
  if (kind === "unattended") return t("everything without a person");
  if (kind === "perAgent") return t("everything of this agent without a person");
  return causeText(cause);
}
