import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { accountKey, channelLabel } from "../../channel-setup/account-name.ts";
import { SetUpChannel } from "../../channel-setup/set-up-channel.tsx";
import { t } from "../../i18n/t.ts";
import { PageFrame } from "../../shell/page-frame.tsx";
import styles from "./channels.module.css";

/** Sets up an account of a channel, step by step. */
export function NewAccountPage(): React.JSX.Element {
  const { channel } = useParams({ from: "/data/channels/new/$channel" });
  const navigate = useNavigate();
  const title = t("Add {channel}", { channel: channelLabel(channel) });
  return (
    <PageFrame title={title}>
      <div className="page-scroll">
        <div className={`page-content ${styles["narrow"]}`}>
          <Link to="/channels" className={styles["back"]}>
            {t("All channels")}
          </Link>
          <div className={styles["panel"]}>
            <SetUpChannel
              key={channel}
              channel={channel}
              onDone={(account) => void navigate({ to: "/channels/$account", params: { account: accountKey(account) } })}
            />
          </div>
        </div>
      </div>
    </PageFrame>
  );
}
