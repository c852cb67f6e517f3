import { type KeyboardEvent, type RefObject, useEffect } from "react";
import { useAppState, useController } from "../../app/app-context.ts";
import { AttachButton } from "./attach-button.tsx";
import { AttachmentList } from "./attachment-list.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { Attachments } from "./use-attachments.ts";
import { describeWait } from "../../chat/describe-wait.ts";
import { useMessage } from "./use-message.ts";
import { useSlashCompletion } from "./use-slash-completion.tsx";
import { VoiceButton, VoiceNote } from "./voice/voice-input.tsx";
import { useVoice } from "./voice/use-voice.ts";
import { sentenceSpace } from "../../i18n/sentence-space.ts";
import { t } from "../../i18n/t.ts";

/** A field that grows by itself needs no hidden copy to measure its text. */
const GROWS_BY_ITSELF = CSS.supports("field-sizing", "content");

/** The message field. Enter sends, Shift+Enter starts a line, Escape stops the run, ↑ in an empty field recalls the last message. A draft survives a reload. */
export function Composer({
  sessionKey,
  input,
  attachments,
}: {
  readonly sessionKey: string;
  readonly input: RefObject<HTMLTextAreaElement | null>;
  readonly attachments: Attachments;
}): React.JSX.Element {
  const controller = useController();
  const running = useAppState((state) => state.open.type === "open" && state.open.chat.live !== undefined);
  const message = useMessage(sessionKey, { input, attachments });
  const { text, change, send } = message;
  const completion = useSlashCompletion(sessionKey, text, change);
  const voice = useVoice((said) => {
    change(text.trim() === "" ? said : `${text.trimEnd()} ${said}`);
    input.current?.focus();
  });
  useFocusOnLoad(input);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (completion.onKeyDown(event)) return;
    const key = keyOf(event);
    const last = key === "recall" && text === "" ? controller.lastSaid() : undefined;
    if (key === "stop" && running) void controller.stop({ queued: false });
    if (key === "send") send();
    if (last !== undefined) change(last);
    if (key === "send" || last !== undefined) event.preventDefault();
  };
  return (
    <form
      className="composer"
      aria-label={t("New message")}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <QueueNote />
      <VoiceNote voice={voice} />
      {message.isEdit ? (
        <EditNote onCancel={message.cancelEdit} />
      ) : (
        <AttachmentList attachments={attachments} onRemove={() => input.current?.focus()} />
      )}
      <div className="composer-box">
        {completion.list}
        {message.isEdit ? null : <AttachButton onFiles={attachments.add} />}
        <div className="grow" data-text={GROWS_BY_ITSELF ? undefined : text}>
          <textarea
            ref={input}
            id="message"
            aria-label={t("Message")}
            dir="auto"
            placeholder={t("Write a message")}
            rows={1}
            enterKeyHint="send"
            value={text}
            onChange={(event) => change(event.target.value)}
            onKeyDown={onKeyDown}
            {...completion.field}
            onPaste={(event) => {
              const { files } = event.clipboardData;
              if (files.length === 0) return;
              event.preventDefault();
              attachments.add(files);
            }}
          />
        </div>
        <VoiceButton voice={voice} />
        <RunButtons running={running} isEmpty={message.isEmpty} isUploading={message.isUploading} />
      </div>
    </form>
  );
}

/** The action of a key in the field, if it has one. */
function keyOf(event: KeyboardEvent): "send" | "stop" | "recall" | undefined {
  // While an input method composes, Enter selects a candidate.
  if (event.nativeEvent.isComposing || event.keyCode === 229 || event.shiftKey) return undefined;
  if (event.key === "Enter") return "send";
  if (event.key === "Escape") return "stop";
  return event.key === "ArrowUp" ? "recall" : undefined;
}

/** Focuses the field if there is a physical keyboard; on a phone the on-screen keyboard would cover the conversation. */
function useFocusOnLoad(input: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    if (document.activeElement === document.body && window.matchMedia("(min-width: 52rem) and (pointer: fine)").matches)
      input.current?.focus({ preventScroll: true });
  }, [input]);
}

/** Says that a version of an earlier message is written. */
function EditNote({ onCancel }: { readonly onCancel: () => void }): React.JSX.Element {
  return (
    <output className="queue">
      <span>{t("You are editing a message. The conversation as it is now is kept.")}</span>
      <button type="button" className="text-button" onClick={onCancel}>
        {t("Cancel")}
      </button>
    </output>
  );
}

function QueueNote(): React.JSX.Element | null {
  const controller = useController();
  const queued = useAppState((state) => (state.open.type === "open" ? state.open.chat.queued : 0));
  const wait = useAppState((state) => (state.open.type === "open" ? state.open.chat.wait : undefined));
  if (queued === 0 && wait === undefined) return null;
  return (
    <output className="queue">
      <span>
        {[
          ...(queued === 0
            ? []
            : [t("{count, plural, one {# message waits for its turn.} other {# messages wait for their turn.}}", { count: queued })]),
          ...(wait === undefined ? [] : [describeWait(wait)]),
        ].join(sentenceSpace())}
      </span>
      <button type="button" className="text-button" onClick={() => void controller.stop({ queued: true })}>
        {t("Stop all")}
      </button>
    </output>
  );
}

function RunButtons({
  running,
  isEmpty,
  isUploading,
}: {
  readonly running: boolean;
  readonly isEmpty: boolean;
  readonly isUploading: boolean;
}): React.JSX.Element {
  const controller = useController();
  return (
    <>
      {running ? (
        <button
          type="button"
          className="round-button stop"
          aria-label={t("Stop")}
          title={t("Stop (Esc)")}
          onClick={() => void controller.stop({ queued: false })}
        >
          <Icon name="stop" />
        </button>
      ) : null}
      {running && isEmpty ? null : (
        <button type="submit" className="round-button" aria-label={t("Send")} title={t("Send (Enter)")} disabled={isEmpty || isUploading}>
          <Icon name="send" />
        </button>
      )}
    </>
  );
}
