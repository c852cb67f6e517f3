import type { KeyboardEvent, RefObject } from "react";
import { useAppState, useController } from "./app-context.ts";
import { Icon } from "./icon.tsx";
import { useDraft } from "./use-draft.ts";

/** Where one writes. Enter sends, Shift and Enter begin a line, Escape stops the run. A draft survives a reload. */
export function Composer({
  sessionKey,
  input,
}: {
  readonly sessionKey: string;
  readonly input: RefObject<HTMLTextAreaElement | null>;
}): React.JSX.Element {
  const controller = useController();
  const running = useAppState((state) => state.open.type === "open" && state.open.chat.live !== undefined);
  const queued = useAppState((state) => (state.open.type === "open" ? state.open.chat.queued : 0));
  const [text, change] = useDraft(sessionKey);
  const isEmpty = text.trim() === "";

  const send = (): void => {
    if (isEmpty) return;
    controller.send(text.trim());
    change("");
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // While an input method composes, Enter chooses a word.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      send();
    } else if (event.key === "Escape" && running) void controller.stop({ queued: false });
  };
  return (
    <form
      className="composer"
      aria-label="New message"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {queued === 0 ? null : (
        <output className="queue">
          <span>{queued === 1 ? "1 message waits for its turn." : `${queued} messages wait for their turn.`}</span>
          <button type="button" className="text-button" onClick={() => void controller.stop({ queued: true })}>
            Stop all
          </button>
        </output>
      )}
      <div className="composer-box">
        <div className="grow" data-text={text}>
          <textarea
            ref={input}
            aria-label="Message"
            placeholder="Write a message"
            rows={1}
            enterKeyHint="send"
            value={text}
            onChange={(event) => change(event.target.value)}
            onKeyDown={onKeyDown}
          />
        </div>
        {running ? (
          <button
            type="button"
            className="round-button stop"
            aria-label="Stop"
            title="Stop (Esc)"
            onClick={() => void controller.stop({ queued: false })}
          >
            <Icon name="stop" />
          </button>
        ) : null}
        {running && isEmpty ? null : (
          <button type="submit" className="round-button" aria-label="Send" title="Send (Enter)" disabled={isEmpty}>
            <Icon name="send" />
          </button>
        )}
      </div>
    </form>
  );
}
