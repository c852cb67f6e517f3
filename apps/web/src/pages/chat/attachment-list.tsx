import { Icon } from "../../ui/icon.tsx";
import type { Attachments } from "./use-attachments.ts";
import { sentenceSpace } from "../../i18n/sentence-space.ts";
import { t } from "../../i18n/t.ts";

/** The attachments of the next message: each file with a button to remove it, why something was rejected, and what a reload has removed. */
export function AttachmentList({
  attachments: { files, problem, lost, remove, forgetLost },
  onRemove,
}: {
  readonly attachments: Attachments;
  /** Called after one was removed, or the note dismissed: its button, which had the focus, is gone. */
  readonly onRemove: () => void;
}): React.JSX.Element {
  return (
    <>
      {files.length === 0 ? null : (
        <ul className="attachments" aria-label={t("Attached files")}>
          {files.map(({ id, name, previewUrl, ref }) => (
            <li key={id} className={ref === undefined ? "uploading" : undefined}>
              {previewUrl === undefined ? (
                <span className="attachment-name" dir="auto">
                  {ref === undefined ? t("{name}, being handed over", { name }) : name}
                </span>
              ) : (
                <img src={previewUrl} alt={ref === undefined ? t("{name}, being handed over", { name }) : name} />
              )}
              <button
                type="button"
                className="icon-button"
                aria-label={t("Remove {name}", { name })}
                title={t("Remove {name}", { name })}
                onClick={() => {
                  remove(id);
                  onRemove();
                }}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {lost.length === 0 ? null : (
        <p className="attachment-problem" role="alert">
          {t("Reloading the page removed {names}. Attach {count, plural, one {it} other {them}} again.", {
            names: lost.join(", "),
            count: lost.length,
          })}
          {sentenceSpace()}
          <button
            type="button"
            className="text-button"
            onClick={() => {
              forgetLost();
              onRemove();
            }}
          >
            {t("Dismiss")}
          </button>
        </p>
      )}
      {problem === undefined ? null : (
        <p className="attachment-problem" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}
