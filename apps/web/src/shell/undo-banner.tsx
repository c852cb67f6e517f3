import { useAppState, useController } from "../app/app-context.ts";
import { t } from "../i18n/t.ts";

/** Shows a pending deletion for as long as it can be undone. */
export function UndoBanner(): React.JSX.Element {
  const deleting = useAppState((state) => state.deleting);
  const controller = useController();
  return (
    <output>
      {deleting === undefined ? null : (
        <span className="banner">
          <span>{t("Deleted “{title}”.", { title: deleting.title })}</span>
          <button type="button" className="text-button" onClick={() => controller.undoDelete()}>
            {t("Undo")}
          </button>
        </span>
      )}
    </output>
  );
}
