import { useState } from "react";
import { LoginSteps } from "../channel-login/login-steps.tsx";
import { Loaded } from "../data/loaded.tsx";
import { useRpc } from "../data/use-rpc.ts";
import { gatewayText } from "../i18n/gateway-text.ts";
import { t } from "../i18n/t.ts";
import { Button } from "../ui/button.tsx";
import { CodeField } from "../ui/code-field.tsx";
import { focusOnce } from "../ui/focus-once.ts";
import { AccountForm } from "./account-form.tsx";
import { type Account, accountLabel, channelLabel } from "./account-name.ts";
import styles from "./channel-setup.module.css";
import { InstallChannel } from "./install-channel.tsx";
import { SayHello } from "./say-hello.tsx";

interface SetUpChannelProps {
  readonly channel: string;
  /** Called when the person is done with it, with the account. */
  readonly onDone: (account: Account) => void;
}

type Place =
  /** With an account: one that is there already. */
  { readonly step: "settings"; readonly account?: Account } | { readonly step: "login" | "hello"; readonly account: Account };

/** Leads from the package of a channel over its settings and its login to the first message. */
export function SetUpChannel({ channel, onDone }: SetUpChannelProps): React.JSX.Element {
  const list = useRpc("channels.list", {});
  const status = useRpc("status", {});
  const [place, setPlace] = useState<Place>({ step: "settings" });
  if (place.step === "login")
    return (
      <Login
        account={place.account}
        onSettings={() => setPlace({ step: "settings", account: place.account })}
        onDone={() => setPlace({ step: "hello", account: place.account })}
        onEnd={() => onDone(place.account)}
      />
    );
  if (place.step === "hello")
    return (
      <SayHello
        account={place.account}
        onSettings={() => setPlace({ step: "settings", account: place.account })}
        onDone={() => onDone(place.account)}
      />
    );
  return (
    <Loaded query={list}>
      {({ channels }) => {
        const known = channels.find(({ id }) => id === channel);
        if (known === undefined || known.state === "unavailable")
          return (
            <p className="problem">{known?.reason === undefined ? t("There is no channel of this name.") : gatewayText(known.reason)}</p>
          );
        return (
          <section className={styles["step"]}>
            <h2 tabIndex={-1} ref={focusOnce} key={known.state}>
              {known.state === "installable"
                ? t("Install {channel}", { channel: channelLabel(channel) })
                : t("Settings of {channel}", { channel: channelLabel(channel) })}
            </h2>
            {known.state === "installable" ? (
              <InstallChannel channel={channel} />
            ) : (
              <Loaded query={status}>
                {({ channels: accounts }) => (
                  <Settings
                    channel={channel}
                    taken={known.accounts}
                    failed={place.account ?? accounts.find((one) => one.channel === channel && one.state === "failed")}
                    onSaved={(account) => setPlace({ step: "login", account })}
                  />
                )}
              </Loaded>
            )}
          </section>
        );
      }}
    </Loaded>
  );
}

interface SettingsProps extends NewAccountProps {
  /** The account that does not work yet. */
  readonly failed: Account | undefined;
}

/** The settings of the account that does not work yet; otherwise, or if the person wants another one, those of another account. */
function Settings({ failed, channel, taken, onSaved }: SettingsProps): React.JSX.Element {
  // While it is saved it may work, or another one may fail.
  const [before] = useState(failed);
  const [isAnother, setAnother] = useState(false);
  if (before === undefined || isAnother) return <NewAccount channel={channel} taken={taken} onSaved={onSaved} />;
  const account: Account = { channel, accountId: before.accountId };
  return (
    <>
      <p>{t("{account} is set up, and does not work yet.", { account: accountLabel(account) })}</p>
      <AccountForm account={account} action={t("Save and connect")} isPrimary takesFocus onSaved={() => onSaved(account)} />
      <div className="actions">
        <Button onClick={() => setAnother(true)}>{t("Add another account")}</Button>
      </div>
    </>
  );
}

interface NewAccountProps {
  readonly channel: string;
  readonly taken: readonly string[];
  readonly onSaved: (account: Account) => void;
}

/** The settings of an account that there is not yet; another one than the first has a name. */
function NewAccount({ channel, taken, onSaved }: NewAccountProps): React.JSX.Element {
  const [name, setName] = useState("");
  // What is taken grows when it is saved.
  const [before] = useState(taken);
  const accountId = before.includes("default") ? name.trim() : "default";
  const account = { channel, accountId };
  const isTaken = before.includes(accountId);
  return (
    <>
      {before.includes("default") ? (
        <CodeField
          label={t("Name of the new account")}
          hint={t("Letters, digits and -. It tells this account from the others.")}
          error={isTaken ? t("There is an account of this name.") : undefined}
          maxLength={64}
          value={name}
          onChange={setName}
        />
      ) : null}
      {accountId === "" || isTaken ? null : (
        <AccountForm
          account={account}
          action={t("Save and connect")}
          isPrimary
          takesFocus={!before.includes("default")}
          onSaved={() => onSaved(account)}
        />
      )}
    </>
  );
}

interface LoginProps {
  readonly account: Account;
  readonly onSettings: () => void;
  readonly onDone: () => void;
  /** Called at the end of the first words of a channel without a login. */
  readonly onEnd: () => void;
}

/** The login of a channel that has one; the others go on to the first words. */
function Login({ account, onSettings, onDone, onEnd }: LoginProps): React.JSX.Element {
  const capabilities = useRpc("channels.capabilities", account);
  return (
    <Loaded query={capabilities}>
      {({ capabilities: { optional } }) =>
        Array.isArray(optional) && optional.includes("login") ? (
          <LoginSteps account={account} onBack={onDone} done={t("Go on")} />
        ) : (
          <SayHello account={account} onSettings={onSettings} onDone={onEnd} />
        )
      }
    </Loaded>
  );
}
