import type { OutgoingMessage } from "../../app/outbox.ts";
import type { ChatAttachment } from "@factotum/protocol";
import { AttachmentNote } from "./attachment-note.tsx";
import { ImageButton } from "./message-files.tsx";
import { useAppState, useController } from "../../app/app-context.ts";
import { OwnMessageText } from "./own-message-text.tsx";
import { t } from "../../i18n/t.ts";

/** A message that is not part of the conversation yet, with its state. */
export function OutgoingRow({ message }: { readonly message: OutgoingMessage }): React.JSX.Element {
  const connected = useAppState((state) => state.connection.type === "connected");
  const { outbox } = useController();
  const waits = {
    sending: connected ? t("Sending…") : t("Waiting for the connection"),
    accepted: t("Waits for its turn"),
    failed: message.error ?? t("Not sent"),
  };
  return (
    <article className={`said outgoing ${message.status}`} aria-label={t("You")}>
      <div className="bubble" dir="auto">
        <OutgoingImages attachments={message.attachments ?? []} />
        <OwnMessageText text={message.text} />
      </div>
      <div className="said-state">
        <span role={message.status === "failed" ? "alert" : undefined}>{waits[message.status]}</span>
        {message.status === "failed" ? (
          <>
            <button type="button" className="text-button" onClick={() => outbox.retry(message.idempotencyKey)}>
              {t("Send again")}
            </button>
            <button type="button" className="text-button" onClick={() => outbox.discard(message.idempotencyKey)}>
              {t("Discard")}
            </button>
          </>
        ) : null}
      </div>
    </article>
  );
}

/** The images of a pending message. After a reload there is no preview of them, only their number. */
function OutgoingImages({ attachments }: { readonly attachments: readonly ChatAttachment[] }): React.JSX.Element {
  const { media } = useController();
  const shown = attachments.flatMap(({ ref, fileName = t("Image") }) => {
    const url = media.previewOf(ref);
    return url === undefined ? [] : [{ ref, fileName, url }];
  });
  return (
    <>
      {shown.length === 0 ? null : (
        <span className="message-images">
          {shown.map(({ ref, fileName, url }) => (
            <ImageButton key={ref} url={url} name={fileName} />
          ))}
        </span>
      )}
      <AttachmentNote count={attachments.length - shown.length} />
    </>
  );
}
