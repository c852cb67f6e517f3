import { t } from "../i18n/t.ts";

interface SevereConsentProps {
  readonly isSure: boolean;
  readonly onChange: (isSure: boolean) => void;
}

/** What has severe findings is installed only by a person who says that they were read. */
export function SevereConsent({ isSure, onChange }: SevereConsentProps): React.JSX.Element {
  return (
    <label className="check">
      <input type="checkbox" checked={isSure} onChange={({ target }) => onChange(target.checked)} />
      {t("I have read the severe findings, and want it nevertheless.")}
    </label>
  );
}
