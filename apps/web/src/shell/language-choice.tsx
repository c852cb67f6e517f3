import { useState } from "react";
import { LANGUAGES, languageName, loadLanguage } from "../i18n/language.ts";
import { t } from "../i18n/t.ts";
import { Segmented } from "../ui/segmented.tsx";
import { useLanguageChoice } from "./use-language-choice.ts";

/** Chooses the language of the page for this browser. Each language is named in itself. */
export function LanguageChoice(): React.JSX.Element {
  const [chosen, setChosen] = useState(() => loadLanguage(localStorage));
  const choose = useLanguageChoice();
  return (
    <Segmented
      label={t("Language")}
      choices={[
        { value: "browser", label: t("As the browser") },
        ...LANGUAGES.map((language) => ({ value: language, label: languageName(language) })),
      ]}
      value={chosen ?? "browser"}
      onChange={(value) => {
        const language = value === "browser" ? undefined : value;
        setChosen(language);
        void choose(language).then(() => setChosen(loadLanguage(localStorage)));
      }}
    />
  );
}
