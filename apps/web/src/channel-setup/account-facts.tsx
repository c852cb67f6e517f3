import type { ChannelStatus } from "@factotum/protocol";
import { formatMoment } from "../app/locale.ts";
import { gatewayText } from "../i18n/gateway-text.ts";
import { t } from "../i18n/t.ts";
import { relativeTime } from "../ui/relative-time.ts";
import { adviceOf } from "./account-state.tsx";
import styles from "./channel-setup.module.css";

/** The evidence for the health of an account, and what to do. */
export function AccountFacts({ status }: { readonly status: ChannelStatus }): React.JSX.Element {
  const { detail, sinceMs, evidenceAtMs, lastInboundAtMs, lastProblem, webhookUrl } = status;
  const advice = adviceOf(status);
  return (
    <>
      {detail === undefined ? null : (
        <p className={styles["detail"]} dir="auto">
          {gatewayText(detail)}
        </p>
      )}
      {advice === undefined ? null : <p>{advice}</p>}
      <dl className="facts">
        <Fact name={t("Since")} atMs={sinceMs} />
        <Fact name={t("Last sign")} atMs={evidenceAtMs} />
        <dt>{t("Last message")}</dt>
        <dd>{lastInboundAtMs === undefined ? t("None since the start") : <Time atMs={lastInboundAtMs} />}</dd>
        {lastProblem === undefined || lastProblem.text === detail ? null : (
          <>
            <dt>{t("Last problem")}</dt>
            <dd>
              <Time atMs={lastProblem.atMs} /> <bdi>{gatewayText(lastProblem.text)}</bdi>
            </dd>
          </>
        )}
        {webhookUrl === undefined ? null : (
          <>
            <dt>{t("Receives at")}</dt>
            <dd>
              <code>{webhookUrl}</code>
            </dd>
          </>
        )}
      </dl>
    </>
  );
}

interface FactProps {
  readonly name: string;
  readonly atMs: number | undefined;
}

function Fact({ name, atMs }: FactProps): React.JSX.Element | null {
  if (atMs === undefined) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <Time atMs={atMs} />
      </dd>
    </>
  );
}

function Time({ atMs }: { readonly atMs: number }): React.JSX.Element {
  return (
    <time dateTime={new Date(atMs).toISOString()} title={formatMoment(atMs)}>
      {agoText(atMs)}
    </time>
  );
}

function agoText(atMs: number): string {
  return relativeTime(atMs, Date.now());
}
