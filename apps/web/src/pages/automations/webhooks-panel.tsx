import type { ConfigView } from "@factotum/protocol";
import { lazy, Suspense, useState } from "react";
import { Loaded } from "../../data/loaded.tsx";
import { type Settings, useSettings } from "../../data/use-settings.ts";
import { useRpc } from "../../data/use-rpc.ts";
import { t } from "../../i18n/t.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Fact } from "../../ui/fact.tsx";
import styles from "./automations.module.css";
import { DeliveriesCard } from "./deliveries-card.tsx";
import { webhookList, type WebhookRow } from "./webhook-list.ts";

const WebhooksForm = lazy(async () => ({ default: (await import("./webhooks-form.tsx")).WebhooksForm }));

/** Addresses at which other systems tell the assistant what has happened. */
export function WebhooksPanel(): React.JSX.Element {
  const settings = useSettings();
  return (
    <>
      <p className={styles["lead"]}>
        {t(
          "Other systems, such as a code host or a monitor, post to these addresses what has happened. The assistant reads it and tells you. What they send counts as text of others.",
        )}
      </p>
      <Loaded query={settings.view}>{(view) => <Webhooks view={view} settings={settings} />}</Loaded>
      <DeliveriesCard />
    </>
  );
}

interface WebhooksProps {
  readonly view: ConfigView;
  readonly settings: Settings;
}

function Webhooks({ view, settings: { save, isBusy } }: WebhooksProps): React.JSX.Element {
  const [isEditing, setEditing] = useState(false);
  const status = useRpc("status", {});
  const { isOn, rows } = webhookList(view, (status.data?.publicUrl ?? location.origin).replace(/\/$/, ""));
  if (isEditing)
    return (
      <Card title={t("Change the webhooks")}>
        <Suspense fallback={<p className="chat-note">{t("Loading…")}</p>}>
          <WebhooksForm view={view} isBusy={isBusy} onSave={save} onClose={() => setEditing(false)} />
        </Suspense>
      </Card>
    );
  return (
    <>
      <Card title={t("Webhooks")} actions={isOn ? <Badge tone="good">{t("On")}</Badge> : <Badge>{t("Off")}</Badge>}>
        {isOn ? null : <EmptyState>{t("They are off: no request of another system is taken.")}</EmptyState>}
        {isOn && status.data !== undefined && status.data.publicUrl === undefined ? (
          <p>{t("The gateway has no public address (gateway.publicUrl), so only systems on this machine reach them.")}</p>
        ) : null}
        <div className="actions">
          <Button variant={isOn ? "plain" : "primary"} busy={isBusy} onClick={() => void save({ hooks: { enabled: !isOn } }, view)}>
            {isOn ? t("Switch off") : t("Switch on")}
          </Button>
          <Button onClick={() => setEditing(true)}>{t("Change")}</Button>
        </div>
      </Card>
      {isOn ? (
        <ul className={styles["list"]}>
          {rows.map((row) => (
            <WebhookItem key={row.name} row={row} />
          ))}
        </ul>
      ) : null}
    </>
  );
}

function WebhookItem({ row: { name, url, scheme, action, hasSecret, task, deliver } }: { readonly row: WebhookRow }): React.JSX.Element {
  return (
    <li className="list-item">
      <div className={`item-head ${styles["head"]}`}>
        <h2>
          <bdi>{name}</bdi>
        </h2>
        {hasSecret ? null : <Badge tone="warning">{t("Without a secret: refuses everything")}</Badge>}
      </div>
      <p>
        <code>{url}</code> <CopyButton text={() => url} what={t("the address of {name}", { name })} />
      </p>
      <dl className="fact-columns">
        <Fact name={t("Does")}>{action === "wake" ? t("tells the heartbeat") : t("begins a turn of its own")}</Fact>
        <Fact name={t("Proof")}>{scheme}</Fact>
        {deliver === undefined ? null : (
          <Fact name={t("Reports to")}>
            {deliver === "owner" ? t("the direct conversation in which you wrote last") : <bdi>{deliver}</bdi>}
          </Fact>
        )}
      </dl>
      {task === undefined ? null : <p dir="auto">{task}</p>}
    </li>
  );
}
