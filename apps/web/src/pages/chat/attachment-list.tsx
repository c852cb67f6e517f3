import { Icon } from "../../ui/icon.tsx";
import type { Attachments } from "./use-attachments.ts";

/** The attachments of the next message: each image with a button to remove it, why something was rejected, and what a reload has removed. */
export function AttachmentList({
  attachments: { images, problem, lost, remove, forgetLost },
  onRemove,
}: {
  readonly attachments: Attachments;
  /** Called after one was removed, or the note dismissed: its button, which had the focus, is gone. */
  readonly onRemove: () => void;
}): React.JSX.Element {
  return (
    <>
      {images.length === 0 ? null : (
        <ul className="attachments" aria-label="Attached images">
          {images.map(({ id, name, previewUrl, ref }) => (
            <li key={id} className={ref === undefined ? "uploading" : undefined}>
              <img src={previewUrl} alt={ref === undefined ? `${name}, being handed over` : name} />
              <button
                type="button"
                className="icon-button"
                aria-label={`Remove ${name}`}
                title={`Remove ${name}`}
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
          {`Reloading the page removed ${lost.join(", ")}. Attach ${lost.length === 1 ? "it" : "them"} again. `}
          <button
            type="button"
            className="text-button"
            onClick={() => {
              forgetLost();
              onRemove();
            }}
          >
            Dismiss
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
