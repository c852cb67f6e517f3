import type { GatewayStatus } from "@factotum/protocol";
import { msg, t } from "../../i18n/t.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { relativeTime } from "../../ui/relative-time.ts";
import { type Column, Table } from "../../ui/table.tsx";

type Channel = GatewayStatus["channels"][number];

const STATES: Readonly<Record<Channel["state"], readonly [Tone, string]>> = {
  connected: ["good", msg("Connected")],
  starting: ["neutral", msg("Starting")],
  degraded: ["warning", msg("Works in part")],
  disconnected: ["warning", msg("Not connected")],
  stopped: ["neutral", msg("Stopped")],
  disabled: ["neutral", msg("Switched off")],
  failed: ["bad", msg("Failed")],
};

/** The accounts of channels, with the newest proof that they work. */
export function ChannelsCard({ channels }: { readonly channels: readonly Channel[] }): React.JSX.Element {
  const columns: readonly Column<Channel>[] = [
    { id: "name", title: t("Account"), cell: nameOf, sortBy: nameOf },
    {
      id: "state",
      title: t("State"),
      cell: ({ state }) => <Badge tone={STATES[state][0]}>{t(STATES[state][1])}</Badge>,
      sortBy: ({ state }) => state,
    },
    {
      id: "seen",
      title: t("Last sign"),
      cell: ({ evidenceAtMs }) => (evidenceAtMs === undefined ? "–" : relativeTime(evidenceAtMs, Date.now())),
      sortBy: ({ evidenceAtMs = 0 }) => evidenceAtMs,
    },
    { id: "detail", title: t("Details"), cell: ({ detail = "" }) => detail },
  ];
  return (
    <Card title={t("Channels")}>
      {channels.length === 0 ? (
        <EmptyState>{t("No channel is set up. You can talk to the assistant on this page.")}</EmptyState>
      ) : (
        <Table caption={t("Channels")} columns={columns} rows={channels} keyOf={nameOf} />
      )}
    </Card>
  );
}

function nameOf({ channel, accountId }: Channel): string {
  return accountId === "default" ? channel : `${channel}/${accountId}`;
}
