import { chooseLanguage } from "../i18n/activate-language.ts";
import type { Language } from "../i18n/language.ts";
import { t } from "../i18n/t.ts";
import { useToasts } from "../ui/toasts.tsx";

/** Chooses a language, or to follow the browser's; resolves with false, and says so, if that is not possible now. */
export function useLanguageChoice(): (language: Language | undefined) => Promise<boolean> {
  const toasts = useToasts();
  return async (language) => {
    const isChosen = await chooseLanguage(language, window);
    if (!isChosen) toasts.show({ kind: "error", text: t("The language could not be loaded. Try again.") });
    return isChosen;
  };
}
