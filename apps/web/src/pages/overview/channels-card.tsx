import { Link } from "@tanstack/react-router";
import type { GatewayStatus } from "@factotum/protocol";
import { AccountState } from "../../channel-setup/account-state.tsx";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { t } from "../../i18n/t.ts";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { relativeTime } from "../../ui/relative-time.ts";
import { type Column, Table } from "../../ui/table.tsx";

type Channel = GatewayStatus["channels"][number];

/** The accounts of channels, with the newest proof that they work. */
export function ChannelsCard({ channels }: { readonly channels: readonly Channel[] }): React.JSX.Element {
  const columns: readonly Column<Channel>[] = [
    { id: "name", title: t("Account"), cell: nameOf, sortBy: nameOf },
    {
      id: "state",
      title: t("State"),
      cell: ({ state }) => <AccountState state={state} />,
      sortBy: ({ state }) => state,
    },
    {
      id: "seen",
      title: t("Last sign"),
      cell: ({ evidenceAtMs }) => (evidenceAtMs === undefined ? "–" : relativeTime(evidenceAtMs, Date.now())),
      sortBy: ({ evidenceAtMs = 0 }) => evidenceAtMs,
    },
    { id: "detail", title: t("Details"), cell: ({ detail = "" }) => gatewayText(detail) },
  ];
  return (
    <Card title={t("Channels")} actions={<Link to="/channels">{t("Details")}</Link>}>
      {channels.length === 0 ? (
        <EmptyState
          action={
            <Link to="/channels" className="button">
              {t("Add a channel")}
            </Link>
          }
        >
          {t("No channel is set up. You can talk to the assistant on this page.")}
        </EmptyState>
      ) : (
        <Table caption={t("Channels")} columns={columns} rows={channels} keyOf={nameOf} />
      )}
    </Card>
  );
}

function nameOf({ channel, accountId }: Channel): string {
  return accountId === "default" ? channel : `${channel}/${accountId}`;
}
