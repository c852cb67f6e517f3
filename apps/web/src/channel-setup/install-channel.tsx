import { useEffect, useRef } from "react";
import { useRpcMutation } from "../data/use-rpc.ts";
import { t } from "../i18n/t.ts";
import { Button } from "../ui/button.tsx";
import { channelLabel } from "./account-name.ts";
import styles from "./channel-setup.module.css";

/** A package is fetched and built meanwhile. */
const INSTALL_TIMEOUT_MS = 600_000;

interface InstallChannelProps {
  readonly channel: string;
  readonly onInstalled: () => void;
}

/** Installs the package of a channel, after the person has seen what it may do. */
export function InstallChannel({ channel, onInstalled }: InstallChannelProps): React.JSX.Element {
  const install = useRpcMutation("channels.install", { changes: ["plugins"], timeoutMs: INSTALL_TIMEOUT_MS });
  const begun = useRef(false);
  const { mutate, data, error, isPending } = install;
  useEffect(() => {
    // Looking changes nothing.
    if (begun.current) return;
    begun.current = true;
    mutate({ channel });
  }, [mutate, channel]);
  const text = data?.type === "confirm" ? data.text : undefined;
  const confirm = (): void =>
    mutate({ channel, confirmed: true }, { onSuccess: ({ type }) => (type === "installed" ? onInstalled() : undefined) });
  return (
    <div className={styles["part"]}>
      <output>
        {isPending ? (
          <p className={styles["note"]}>{t("The package of {channel} is fetched…", { channel: channelLabel(channel) })}</p>
        ) : null}
        {text === undefined || isPending ? null : (
          <div className={styles["said"]}>
            {text.map((line) => (
              <p key={line} dir="auto">
                {line}
              </p>
            ))}
          </div>
        )}
      </output>
      {error === null ? null : (
        <p className={styles["problem"]} role="alert" dir="auto">
          {error.message}
        </p>
      )}
      <div className={styles["actions"]}>
        {text === undefined ? null : (
          <Button variant="primary" busy={isPending} onClick={confirm}>
            {t("Install {channel}", { channel: channelLabel(channel) })}
          </Button>
        )}
        {error === null ? null : (
          <Button busy={isPending} onClick={() => mutate({ channel })}>
            {t("Try again")}
          </Button>
        )}
      </div>
    </div>
  );
}
