import { QueryClientProvider } from "@tanstack/react-query";
import { useState } from "react";
import { useSession } from "../app/app-context.ts";
import { accountLabel, parseAccountKey } from "../channel-setup/account-name.ts";
import { ChannelChoice } from "../channel-setup/channel-choice.tsx";
import { SetUpChannel } from "../channel-setup/set-up-channel.tsx";
import { pageQueriesOf } from "../data/page-queries.ts";
import { t } from "../i18n/t.ts";
import { focusOnce } from "../ui/focus-once.ts";

interface ChannelStepProps {
  /** The accounts that are set up already. */
  readonly accounts: readonly string[];
  readonly onDone: () => void;
}

/** Leads to a first channel, or past it. */
export function ChannelStep({ accounts, onDone }: ChannelStepProps): React.JSX.Element {
  const [channel, setChannel] = useState<string>();
  return (
    <QueryClientProvider client={pageQueriesOf(useSession())}>
      <div className="setup-step">
        {channel === undefined ? (
          <>
            <p>{t("Where do you want to write to it, apart from this page? You can add a channel later, too.")}</p>
            {accounts.length === 0 ? null : (
              <p>{t("Set up already: {accounts}", { accounts: accounts.map((key) => accountLabel(parseAccountKey(key))).join(", ") })}</p>
            )}
            <ChannelChoice
              link={(id, content) => (
                <button type="button" className="button" onClick={() => setChannel(id)}>
                  {content}
                </button>
              )}
            />
          </>
        ) : (
          <SetUpChannel key={channel} channel={channel} onDone={onDone} />
        )}
        <div className="dialog-actions apart">
          {channel === undefined ? (
            <button type="button" className="button" ref={focusOnce} onClick={onDone}>
              {t("Skip")}
            </button>
          ) : (
            <button type="button" className="button" onClick={() => setChannel(undefined)}>
              {t("Back")}
            </button>
          )}
        </div>
      </div>
    </QueryClientProvider>
  );
}
