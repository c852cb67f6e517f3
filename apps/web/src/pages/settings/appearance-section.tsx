import { useSyncExternalStore } from "react";
import { applyTheme, loadTheme, onThemeChange } from "../../app/theme.ts";
import { t } from "../../i18n/t.ts";
import { LanguageChoice } from "../../shell/language-choice.tsx";
import { Card } from "../../ui/card.tsx";
import { Segmented } from "../../ui/segmented.tsx";

/** Colours and language of the page, for this browser. */
export function AppearanceSection(): React.JSX.Element {
  const theme = useSyncExternalStore(onThemeChange, () => loadTheme(localStorage));
  return (
    <Card title={t("This browser")}>
      <Segmented
        label={t("Colours")}
        choices={[
          { value: "system", label: t("As the device") },
          { value: "light", label: t("Light") },
          { value: "dark", label: t("Dark") },
        ]}
        value={theme}
        onChange={(chosen) => applyTheme(chosen, window)}
      />
      <LanguageChoice />
    </Card>
  );
}
