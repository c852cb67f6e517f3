import { useEffect, useRef, useState } from "react";
import type { Steering } from "./use-steering.ts";
import { t } from "../../../i18n/t.ts";

/** A line of text for a sub-agent, below its row. Escape closes it. */
export function SteerForm({
  name,
  steering: { isSending, send },
  onClose,
}: {
  readonly name: string;
  readonly steering: Steering;
  readonly onClose: () => void;
}): React.JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  useEffect(() => input.current?.focus(), []);
  const submit = async (): Promise<void> => {
    if (text.trim() !== "" && !isSending && (await send(text.trim()))) onClose();
  };
  return (
    <form
      className="steer-form"
      aria-label={t("Message to {name}", { name })}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <input
        ref={input}
        aria-label={t("Message to {name}", { name })}
        placeholder={t("What it should do differently")}
        dir="auto"
        enterKeyHint="send"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          onClose();
        }}
      />
      <button type="submit" className="text-button" disabled={text.trim() === "" || isSending}>
        {t("Send")}
      </button>
      <button type="button" className="text-button" onClick={onClose}>
        {t("Cancel")}
      </button>
    </form>
  );
}
