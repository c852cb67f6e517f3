import type { DeadLetter } from "@factotum/protocol";
import { useState } from "react";
import { formatMoment } from "../../app/locale.ts";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { t } from "../../i18n/t.ts";
import { SessionLink } from "../../shell/session-link.tsx";
import { TraceLink } from "../../shell/trace-link.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { ScrollBox } from "../../ui/scroll-box.tsx";
import { useToasts } from "../../ui/toasts.tsx";
import { InboxItem } from "./inbox-item.tsx";
import { useDecision } from "./use-decision.ts";

interface LetterItemProps {
  readonly letter: DeadLetter;
  /** True if it was tried again on this page, and has come back. */
  readonly failedAgain: boolean;
  readonly onRetry: () => void;
}

/** A message that was given up. What may have been shown already is sent again after a question, and nothing is discarded without one. */
export function LetterItem({ letter, failedAgain, onRetry }: LetterItemProps): React.JSX.Element {
  const { id, reason, failedAtMs, sessionKey, turnId, channel, accountId, text, replay } = letter;
  const [question, setQuestion] = useState<"replay" | "discard">();
  const toasts = useToasts();
  const replaying = useDecision("deadletters.replay");
  const purging = useDecision("deadletters.purge");
  const busy = replaying.isBusy || purging.isBusy;
  const retry = async (): Promise<void> => {
    onRetry();
    const done = await replaying.decide({ id, ...(replay === "risky" && { risk: true }) });
    if (done !== undefined) toasts.show({ text: t("It is tried again. If it fails again, it is listed again.") });
  };
  return (
    <InboxItem
      title={titleOf(letter)}
      kind={t("Failed message")}
      tone="bad"
      facts={
        <>
          {channel === undefined ? null : <span>{`${channel}/${accountId ?? ""}`}</span>}
          <span>{formatMoment(failedAtMs)}</span>
          <SessionLink sessionKey={sessionKey} />
          <TraceLink turnId={turnId} />
        </>
      }
      actions={
        <>
          {replay === "impossible" ? null : (
            <Button variant="primary" busy={busy} onClick={() => (replay === "risky" ? setQuestion("replay") : void retry())}>
              {replay === "risky" ? t("Try again…") : t("Try again")}
            </Button>
          )}
          <Button busy={busy} onClick={() => setQuestion("discard")}>
            {t("Discard…")}
          </Button>
        </>
      }
    >
      {text === undefined || text === "" ? null : (
        <ScrollBox className="quoted" label={t("Text of the message")}>
          <div dir="auto">{text}</div>
        </ScrollBox>
      )}
      {failedAgain ? <output className="problem">{t("It was tried again, and failed again.")}</output> : null}
      <p dir="auto">{t("Reason: {reason}", { reason: gatewayText(reason) })}</p>
      {replay === "impossible" ? <p>{t("It cannot be tried again: what was stored of it is damaged.")}</p> : null}
      {question === undefined ? null : (
        <LetterQuestion
          question={question}
          onYes={() => void (question === "replay" ? retry() : purging.decide({ ids: [id] }))}
          onClose={() => setQuestion(undefined)}
        />
      )}
    </InboxItem>
  );
}

function titleOf({ type, state }: DeadLetter): string {
  if (type === "input") return t("A message was not answered");
  return state === "ambiguous" ? t("It is unknown whether a message was delivered") : t("A message was not delivered");
}

interface LetterQuestionProps {
  readonly question: "replay" | "discard";
  readonly onYes: () => void;
  readonly onClose: () => void;
}

function LetterQuestion({ question, onYes, onClose }: LetterQuestionProps): React.JSX.Element {
  return question === "replay" ? (
    <ConfirmDialog
      title={t("Send it again?")}
      text={t("It may have been shown already; then the person sees it twice. Look there first.")}
      yes={t("Send again")}
      onConfirm={onYes}
      onClose={onClose}
    />
  ) : (
    <ConfirmDialog
      title={t("Discard this message?")}
      text={t("It is deleted, and will never be answered or delivered. This cannot be undone.")}
      yes={t("Discard")}
      danger
      onConfirm={onYes}
      onClose={onClose}
    />
  );
}
