import type { ChannelStatus } from "@factotum/protocol";
import { useEffect, useRef, useState } from "react";
import { useRpc } from "../data/use-rpc.ts";
import { RichText } from "../i18n/rich-text.tsx";
import { t } from "../i18n/t.ts";
import { Button } from "../ui/button.tsx";
import { focusOnce } from "../ui/focus-once.ts";
import { Icon } from "../ui/icon.tsx";
import { AccountFacts } from "./account-facts.tsx";
import { type Account, accountLabel } from "./account-name.ts";
import { AccountState } from "./account-state.tsx";
import styles from "./channel-setup.module.css";
import { PairingRequests } from "./pairing-requests.tsx";
import { TestMessage } from "./test-message.tsx";

interface SayHelloProps {
  readonly account: Account;
  /** Leads back to the settings of the account. */
  readonly onSettings: () => void;
  readonly onDone: () => void;
}

/** The states in which other settings may help. */
const UNWELL: readonly ChannelStatus["state"][] = ["failed", "disconnected", "degraded"];

/** The first words: is it connected, who asks, and does a message arrive. What is done says so, and the next part has the focus. */
export function SayHello({ account, onSettings, onDone }: SayHelloProps): React.JSX.Element {
  const status = useRpc("status", {});
  const [admitted, setAdmitted] = useState<string>();
  const [isSent, setSent] = useState(false);
  const second = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (admitted !== undefined) second.current?.focus();
  }, [admitted]);
  const found = status.data?.channels.find(({ channel, accountId }) => channel === account.channel && accountId === account.accountId);
  return (
    <section className={styles["step"]}>
      <h2 tabIndex={-1} ref={focusOnce}>
        {t("Say hello by {account}", { account: accountLabel(account) })}
      </h2>
      <output className={styles["part"]}>
        {found === undefined ? null : (
          <>
            <span>
              <AccountState state={found.state} />
            </span>
            {found.state === "connected" ? null : <AccountFacts status={found} />}
          </>
        )}
      </output>
      {found === undefined || !UNWELL.includes(found.state) ? null : (
        <div className="actions">
          <Button onClick={onSettings}>{t("Change the settings")}</Button>
        </div>
      )}
      <div className={styles["part"]}>
        <h3>{t("1. Write to the assistant there")}</h3>
        <PairingRequests
          account={account}
          onApproved={setAdmitted}
          empty={
            admitted === undefined ? (
              <p className="note">{t("Any words will do. Your request appears here, and you approve it.")}</p>
            ) : (
              <p className={styles["done"]}>
                <Icon name="check" />
                <span>
                  <RichText id="<0>{name}</0> may write now." values={{ name: admitted }} parts={[<bdi key="0" />]} />
                </span>
              </p>
            )
          }
        />
      </div>
      <div className={styles["part"]}>
        <h3 tabIndex={-1} ref={second}>
          {t("2. Let it write to you")}
        </h3>
        <TestMessage account={account} onSent={() => setSent(true)} />
      </div>
      <div className="actions">
        <Button variant={isSent ? "primary" : "plain"} onClick={onDone}>
          {isSent ? t("Done") : t("Go on without")}
        </Button>
      </div>
    </section>
  );
}
