import { Link } from "@tanstack/react-router";
import { AccountFacts } from "../../channel-setup/account-facts.tsx";
import { accountKey, accountLabel } from "../../channel-setup/account-name.ts";
import { AccountState } from "../../channel-setup/account-state.tsx";
import { ChannelChoice } from "../../channel-setup/channel-choice.tsx";
import { Loaded } from "../../data/loaded.tsx";
import { useRpc } from "../../data/use-rpc.ts";
import { t } from "../../i18n/t.ts";
import { PageFrame } from "../../shell/page-frame.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import styles from "./channels.module.css";

/** The accounts of chat platforms, each with its health, and the channels that can be added. */
export function ChannelsPage(): React.JSX.Element {
  const status = useRpc("status", {});
  const list = useRpc("channels.list", {});
  // The page's own channel needs no set-up.
  const implicit = (list.data?.channels ?? []).filter(({ isImplicit }) => isImplicit).map(({ id }) => id);
  return (
    <PageFrame title={t("Channels")}>
      <div className="page-scroll">
        <div className="page-content">
          <Loaded query={status}>
            {({ channels }) => {
              const accounts = channels.filter(({ channel }) => list.data !== undefined && !implicit.includes(channel));
              return accounts.length === 0 ? (
                <EmptyState>
                  {t("With a channel you talk to the assistant from your phone, in the app that you use anyway. Choose one below.")}
                </EmptyState>
              ) : (
                <ul className={styles["accounts"]}>
                  {accounts.map((account) => (
                    <li key={accountKey(account)}>
                      <Card title={accountLabel(account)} actions={<AccountState state={account.state} />}>
                        <AccountFacts status={account} />
                        <div className="actions">
                          <Link to="/channels/$account" params={{ account: accountKey(account) }} className="button">
                            {t("Open {account}", { account: accountLabel(account) })}
                          </Link>
                        </div>
                      </Card>
                    </li>
                  ))}
                </ul>
              );
            }}
          </Loaded>
          <Card title={t("Add a channel")}>
            <ChannelChoice
              link={(channel, content) => (
                <Link to="/channels/new/$channel" params={{ channel }} className="button">
                  {content}
                </Link>
              )}
            />
          </Card>
        </div>
      </div>
    </PageFrame>
  );
}
