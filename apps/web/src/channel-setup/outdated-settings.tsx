import { t } from "../i18n/t.ts";
import { Button } from "../ui/button.tsx";
import styles from "./channel-setup.module.css";

interface OutdatedSettingsProps {
  readonly onKeep: () => void;
  readonly onDiscard: () => void;
}

/** The settings were changed by something else while a person was changing them, too: the choice between both. */
export function OutdatedSettings({ onKeep, onDiscard }: OutdatedSettingsProps): React.JSX.Element {
  return (
    <div className={styles["outdated"]} role="alert">
      <p>{t("These settings were changed elsewhere meanwhile. Keep yours to replace them, or load the present ones.")}</p>
      <div className="actions">
        <Button onClick={onKeep}>{t("Keep mine")}</Button>
        <Button onClick={onDiscard}>{t("Load the present ones")}</Button>
      </div>
    </div>
  );
}
