import { useMemo, useState } from "react";
import type { ChatState } from "../../chat/chat-state.ts";
import { findRetry } from "../../chat/find-retry.ts";
import { useAppState, useController } from "../../app/app-context.ts";
import { t } from "../../i18n/t.ts";

/** Offers to send a failed message again. It disappears as soon as the message is pending. */
export function RetryBar({ chat }: { readonly chat: ChatState }): React.JSX.Element | null {
  const controller = useController();
  const failed = useMemo(() => (chat.live === undefined ? findRetry(chat.entries) : undefined), [chat.entries, chat.live]);
  const isSending = useAppState((state) =>
    state.outgoing.some(({ sessionKey, status }) => sessionKey === chat.sessionKey && status !== "failed"),
  );
  const [sentId, setSentId] = useState<string>();
  if (failed === undefined || isSending || sentId === failed.id || chat.queued > 0 || chat.wait !== undefined) return null;
  return (
    <div className="message-actions">
      <button
        type="button"
        className="button"
        onClick={() => {
          setSentId(failed.id);
          void controller.sendAgain(failed);
        }}
      >
        {t("Try again")}
      </button>
      {failed.text === "" ? null : (
        <button type="button" className="text-button" onClick={() => controller.editAgain(failed.text)}>
          {t("Edit and send")}
        </button>
      )}
    </div>
  );
}
