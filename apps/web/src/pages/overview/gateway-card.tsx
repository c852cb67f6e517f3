import { Link } from "@tanstack/react-router";
import type { GatewayStatus } from "@factotum/protocol";
import { useState } from "react";
import { formatMoment, formatWhole } from "../../app/locale.ts";
import { useAction } from "../../data/use-action.ts";
import { LiveBadge } from "../../data/live-badge.tsx";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { t } from "../../i18n/t.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { useToasts } from "../../ui/toasts.tsx";

/** The gateway itself: its version, its store, its configuration, and what waits. */
export function GatewayCard({ status }: { readonly status: GatewayStatus }): React.JSX.Element {
  const { version, startedAtMs, storage, config, sessions, inputs, outbox, damage } = status;
  const stores: Readonly<Record<typeof storage.state, readonly [Tone, string]>> = {
    ok: ["good", t("Everything is stored")],
    low: ["warning", t("Little space is left")],
    full: ["bad", t("No space is left")],
  };
  const [tone, words] = stores[storage.state];
  const dead = inputs.deadLettered + outbox.deadLettered;
  const facts: readonly (readonly [string, React.ReactNode])[] = [
    [t("Version"), version],
    [t("Running since"), formatMoment(startedAtMs)],
    [
      t("Storage"),
      <LiveBadge key="storage" tone={tone}>
        {words}
      </LiveBadge>,
    ],
    [t("Conversations"), formatWhole(sessions.total)],
    [t("Messages that wait"), formatWhole(inputs.waiting + outbox.waiting)],
    [
      t("Failed messages"),
      dead === 0 ? (
        formatWhole(dead)
      ) : (
        <Link key="dead" to="/inbox">
          <Badge tone="warning">{formatWhole(dead)}</Badge>
        </Link>
      ),
    ],
  ];
  return (
    <Card title={t("Gateway")} actions={<Link to="/logs">{t("Details")}</Link>}>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <Fact key={name} name={name} value={value} />
        ))}
      </dl>
      {storage.detail === undefined ? null : <p className="problem">{gatewayText(storage.detail)}</p>}
      {config.problems.map((problem) => (
        <p key={problem} className="problem">
          {gatewayText(problem)}
        </p>
      ))}
      {damage.length === 0 ? null : (
        <p className="problem">
          {t("{count, plural, one {# place of the stored state was damaged.} other {# places of the stored state were damaged.}}", {
            count: damage.length,
          })}
        </p>
      )}
      {config.needsRestart.length === 0 ? null : <Restart keys={config.needsRestart} />}
    </Card>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: React.ReactNode }): React.JSX.Element {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

/** Changed settings that wait for a restart, and the button for it. */
function Restart({ keys }: { readonly keys: readonly string[] }): React.JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const toasts = useToasts();
  const restart = useAction("gateway.restart");
  const run = async (): Promise<void> => {
    if ((await restart.run({})) !== undefined) toasts.show({ text: t("The gateway restarts. This page connects again by itself.") });
  };
  return (
    <>
      <p>{t("Changed settings that apply after a restart: {keys}", { keys: keys.join(", ") })}</p>
      <div>
        <Button busy={restart.isBusy} onClick={() => setAsking(true)}>
          {t("Restart the gateway…")}
        </Button>
      </div>
      {isAsking ? (
        <ConfirmDialog
          title={t("Restart the gateway?")}
          text={t("What is running now is interrupted, and continues afterwards where it can. No message is lost.")}
          yes={t("Restart")}
          onConfirm={() => void run()}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  );
}
