import { useEffect, useState } from "react";
import { sentenceSpace } from "../../../i18n/sentence-space.ts";
import { t } from "../../../i18n/t.ts";
import { Icon } from "../../../ui/icon.tsx";
import type { Voice } from "./use-voice.ts";

/** Begins and ends a recording. Absent without a configured transcription. */
export function VoiceButton({ voice: { isOffered, state, start, stop } }: { readonly voice: Voice }): React.JSX.Element | null {
  if (!isOffered && state.type === "idle") return null;
  const isRecording = state.type === "recording";
  const label = isRecording ? t("End the recording") : t("Speak a message");
  return (
    <button
      type="button"
      className={isRecording ? "icon-button voice recording" : "icon-button voice"}
      aria-label={label}
      title={label}
      aria-pressed={isRecording}
      disabled={state.type === "asking" || state.type === "transcribing"}
      onClick={() => void (isRecording ? stop() : start())}
    >
      <Icon name={isRecording ? "stop" : "microphone"} />
    </button>
  );
}

/** Above the message field: what happens with what is said. */
export function VoiceNote({ voice: { state, cancel } }: { readonly voice: Voice }): React.JSX.Element | null {
  switch (state.type) {
    case "idle":
      return null;
    case "problem":
      return (
        <div className="queue" role="alert">
          <span>{state.message}</span>
          <button type="button" className="text-button" onClick={cancel}>
            {t("Dismiss")}
          </button>
        </div>
      );
    case "asking":
    case "recording":
    case "transcribing":
      return (
        <output className="queue">
          <span>
            {state.type === "asking" ? t("Allow the microphone, then speak.") : null}
            {state.type === "recording" ? (
              <>
                {t("Recording. End it with the button in the field.")}
                {sentenceSpace()}
                <Elapsed sinceMs={state.startedAtMs} />
              </>
            ) : null}
            {state.type === "transcribing" ? t("What you said is written down…") : null}
          </span>
          <button type="button" className="text-button" onClick={cancel}>
            {t("Cancel")}
          </button>
        </output>
      );
  }
}

/** Minutes and seconds. A number that changes every second must not be read aloud. */
function Elapsed({ sinceMs }: { readonly sinceMs: number }): React.JSX.Element {
  const [nowMs, setNowMs] = useState(sinceMs);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.floor((nowMs - sinceMs) / 1000));
  return <span aria-hidden="true">{`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`}</span>;
}
