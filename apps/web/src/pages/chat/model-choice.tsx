import type { SessionSettings, ThinkingLevelId } from "@factotum/protocol";
import { useSessionSettings } from "./use-session-settings.ts";
import { msg, t } from "../../i18n/t.ts";
import styles from "./model-choice.module.css";

const LEVELS: Readonly<Record<ThinkingLevelId, string>> = {
  off: msg("Thinking: off"),
  minimal: msg("Thinking: minimal"),
  low: msg("Thinking: low"),
  medium: msg("Thinking: medium"),
  high: msg("Thinking: high"),
  xhigh: msg("Thinking: very high"),
  adaptive: msg("Thinking: as needed"),
  max: msg("Thinking: most"),
};

/** The model of the conversation and how much it thinks, each as a choice where there is one. `model`: what is shown until the choices came. */
export function ModelChoice({
  sessionKey,
  model,
}: {
  readonly sessionKey: string | undefined;
  readonly model: string | undefined;
}): React.JSX.Element | null {
  const { settings, choose } = useSessionSettings(sessionKey);
  if (settings === undefined) return model === undefined ? null : <span>{model}</span>;
  return (
    <>
      <ModelSelect settings={settings} onChoose={(reference) => void choose({ model: reference })} />
      {settings.thinkingLevels.length < 2 ? null : (
        <select
          className={styles["choice"]}
          aria-label={t("Thinking")}
          value={settings.thinking ?? ""}
          onChange={({ target }) => void choose({ thinking: settings.thinkingLevels.find((level) => level === target.value) ?? null })}
        >
          {settings.thinking === undefined ? <option value="">{t("Thinking: the model’s own")}</option> : null}
          {settings.thinkingLevels.map((level) => (
            <option key={level} value={level}>
              {t(LEVELS[level])}
            </option>
          ))}
        </select>
      )}
    </>
  );
}

function ModelSelect({
  settings: { model = "", models },
  onChoose,
}: {
  readonly settings: SessionSettings;
  readonly onChoose: (reference: string) => void;
}): React.JSX.Element | null {
  if (models.length === 0) return null;
  return (
    <select className={styles["choice"]} aria-label={t("Model")} value={model} onChange={({ target }) => onChoose(target.value)}>
      {models.some(({ reference }) => reference === model) ? null : <option value={model}>{model === "" ? t("No model") : model}</option>}
      {models.map(({ reference, alias }) => (
        <option key={reference} value={reference}>
          {alias === undefined ? reference : `${alias} (${reference})`}
        </option>
      ))}
    </select>
  );
}
