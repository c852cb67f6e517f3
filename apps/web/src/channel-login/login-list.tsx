import { useEffect, useState } from "react";
import { RpcError } from "../gateway-client/rpc-error.ts";
import { useSession } from "../app/app-context.ts";
import type { LoginAccount } from "./login-client.ts";
import { t } from "../i18n/t.ts";

/** Buttons for the accounts whose channel has a login; nothing without one. */
export function LoginList({ onChoose }: { readonly onChoose: (account: LoginAccount) => void }): React.JSX.Element | null {
  const { logins } = useSession();
  const [accounts, setAccounts] = useState<readonly LoginAccount[]>([]);
  useEffect(() => {
    logins.accounts().then(setAccounts, (error: unknown) => {
      // The setup can be used without them.
      if (!(error instanceof RpcError)) throw error;
    });
  }, [logins]);
  if (accounts.length === 0) return null;
  return (
    <section className="setup-step" aria-labelledby="channel-logins">
      <h3 id="channel-logins">{t("Channels")}</h3>
      <ul className="setup-providers">
        {accounts.map((account) => (
          <li key={`${account.channel}/${account.accountId}`}>
            <button type="button" className="button" onClick={() => onChoose(account)}>
              {t("Log in to {account}", { account: `${account.channel}/${account.accountId}` })}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
