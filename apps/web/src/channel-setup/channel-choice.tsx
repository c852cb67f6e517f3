import type { KnownChannel } from "@factotum/protocol";
import { Loaded } from "../data/loaded.tsx";
import { useRpc } from "../data/use-rpc.ts";
import { gatewayText } from "../i18n/gateway-text.ts";
import { t } from "../i18n/t.ts";
import { channelLabel } from "./account-name.ts";
import styles from "./channel-setup.module.css";

interface ChannelChoiceProps {
  /** The element that leads to the set-up of a channel, with its content. */
  readonly link: (channel: string, content: React.ReactNode) => React.ReactNode;
}

/** The channels that can be added, in the order of the gateway: the easiest, those that are there, then those that are installed first. */
export function ChannelChoice({ link }: ChannelChoiceProps): React.JSX.Element {
  const list = useRpc("channels.list", {});
  return (
    <Loaded query={list}>
      {({ channels }) => {
        const shown = channels.filter(({ isImplicit, state }) => !isImplicit && state !== "unavailable");
        const unusable = channels.filter(({ state }) => state === "unavailable");
        return (
          <div className={styles["part"]}>
            <ul className={styles["choices"]}>
              {shown.map((channel) => (
                <li key={channel.id}>
                  {link(
                    channel.id,
                    <>
                      <span>{channelLabel(channel.id)}</span>
                      {channel.about === undefined ? null : <span className={styles["about"]}>{gatewayText(channel.about)}</span>}
                      <small>{describe(channel)}</small>
                    </>,
                  )}
                </li>
              ))}
            </ul>
            {unusable.map(({ id, reason = "" }) => (
              <p key={id} className="note" dir="auto">
                {t("{channel} cannot be used: {reason}", { channel: channelLabel(id), reason: gatewayText(reason) })}
              </p>
            ))}
          </div>
        );
      }}
    </Loaded>
  );
}

function describe({ state, accounts }: KnownChannel): string {
  if (state === "installable") return t("Not installed");
  if (accounts.length === 0) return t("Not set up");
  return t("{count, plural, one {# account} other {# accounts}}", { count: accounts.length });
}
