import type { OutgoingMessage } from "../app/outbox.ts";
import { AttachmentNote } from "./attachment-note.tsx";
import { useAppState, useController } from "./app-context.ts";

/** A message that is not part of the conversation yet, with what it waits for. */
export function OutgoingRow({ message }: { readonly message: OutgoingMessage }): React.JSX.Element {
  const connected = useAppState((state) => state.connection.type === "connected");
  const { outbox } = useController();
  const waits = {
    sending: connected ? "Sending…" : "Waiting for the connection",
    accepted: "Waits for its turn",
    failed: message.error ?? "Not sent",
  };
  return (
    <article className={`said outgoing ${message.status}`} aria-label="You">
      <div className="bubble">
        <AttachmentNote count={message.attachments?.length ?? 0} />
        {message.text}
      </div>
      <div className="said-state">
        <span role={message.status === "failed" ? "alert" : undefined}>{waits[message.status]}</span>
        {message.status === "failed" ? (
          <>
            <button type="button" className="text-button" onClick={() => outbox.retry(message.idempotencyKey)}>
              Send again
            </button>
            <button type="button" className="text-button" onClick={() => outbox.discard(message.idempotencyKey)}>
              Discard
            </button>
          </>
        ) : null}
      </div>
    </article>
  );
}
