import type { ChannelStatus } from "@factotum/protocol";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { LoginSteps } from "../../channel-login/login-steps.tsx";
import { AccountFacts } from "../../channel-setup/account-facts.tsx";
import { AccountForm } from "../../channel-setup/account-form.tsx";
import { type Account, accountLabel, parseAccountKey } from "../../channel-setup/account-name.ts";
import { AccountState } from "../../channel-setup/account-state.tsx";
import { TestMessage } from "../../channel-setup/test-message.tsx";
import { WhoMayWrite } from "../../channel-setup/who-may-write.tsx";
import { Loaded } from "../../data/loaded.tsx";
import { useRpc } from "../../data/use-rpc.ts";
import { t } from "../../i18n/t.ts";
import { PageFrame } from "../../shell/page-frame.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useToasts } from "../../ui/toasts.tsx";
import { AccountActions } from "./account-actions.tsx";
import styles from "./channels.module.css";

/** One account: its health, a test message, who may write, its login and its settings. */
export function AccountPage(): React.JSX.Element {
  const { account: key } = useParams({ from: "/data/channels/$account" });
  const { channel, accountId } = parseAccountKey(key);
  const status = useRpc("status", {});
  return (
    <PageFrame title={accountLabel({ channel, accountId })}>
      <div className="page-scroll">
        <div className={`page-content ${styles["narrow"]}`}>
          <Link to="/channels" className={styles["back"]}>
            {t("All channels")}
          </Link>
          <Loaded query={status}>
            {({ channels }) => {
              const found = channels.find((one) => one.channel === channel && one.accountId === accountId);
              return found === undefined ? <NoAccount /> : <Parts key={key} status={found} />;
            }}
          </Loaded>
        </div>
      </div>
    </PageFrame>
  );
}

function NoAccount(): React.JSX.Element {
  return (
    <EmptyState
      action={
        <Link to="/channels" className="button">
          {t("Show the channels")}
        </Link>
      }
    >
      {t("There is no such account. It may have been removed.")}
    </EmptyState>
  );
}

function Parts({ status }: { readonly status: ChannelStatus }): React.JSX.Element {
  const account: Account = { channel: status.channel, accountId: status.accountId };
  const toasts = useToasts();
  return (
    <>
      <Card title={t("State")} actions={<AccountState state={status.state} />}>
        <AccountFacts status={status} />
        <AccountActions account={account} />
      </Card>
      <LoginCard account={account} />
      <Card title={t("Test message")}>
        <TestMessage account={account} />
      </Card>
      <Card title={t("Who may write")}>
        <WhoMayWrite account={account} />
      </Card>
      <Card title={t("Settings")}>
        <AccountForm
          account={account}
          action={t("Save settings")}
          onSaved={() => toasts.show({ text: t("Saved, and in use.") })}
          onUnchanged={() => toasts.show({ text: t("Nothing has changed.") })}
        />
      </Card>
    </>
  );
}

/** Only for channels that have a login. */
function LoginCard({ account }: { readonly account: Account }): React.JSX.Element | null {
  const { data } = useRpc("channels.capabilities", account);
  const [isOpen, setOpen] = useState(false);
  const optional = data?.capabilities["optional"];
  if (!Array.isArray(optional) || !optional.includes("login")) return null;
  return (
    <Card title={t("Login")}>
      {isOpen ? (
        <LoginSteps account={account} onBack={() => setOpen(false)} done={t("Done")} />
      ) : (
        <div className="actions">
          <Button onClick={() => setOpen(true)}>{t("Log in again")}</Button>
        </div>
      )}
    </Card>
  );
}
