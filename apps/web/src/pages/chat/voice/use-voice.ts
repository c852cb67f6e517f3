import { useEffect, useRef, useState } from "react";
import { useAppState, useSession } from "../../../app/app-context.ts";
import { RpcError } from "../../../gateway-client/rpc-error.ts";
import { t } from "../../../i18n/t.ts";
import type { Recorder } from "./recorder.ts";

/** Milliseconds: a program of this computer may need minutes. */
const TRANSCRIBE_MS = 10 * 60_000;

/** What a person says into the message field. */
type VoiceState =
  | { readonly type: "idle" }
  /** The browser asks the person. */
  | { readonly type: "asking" }
  | { readonly type: "recording"; readonly startedAtMs: number }
  | { readonly type: "transcribing" }
  | { readonly type: "problem"; readonly message: string };

/** The voice input of the message field. */
export interface Voice {
  /** False without a configured transcription. */
  readonly isOffered: boolean;
  readonly state: VoiceState;
  readonly start: () => Promise<void>;
  /** Ends the recording and gives its text to the field. */
  readonly stop: () => Promise<void>;
  /** Drops what was said, or the message about a problem. */
  readonly cancel: () => void;
}

/** Records what a person says, and gives the text of it to `onText`, to be looked at before it is sent. The program that records is loaded when it is needed. */
export function useVoice(onText: (text: string) => void): Voice {
  const { client } = useSession();
  const [state, setState] = useState<VoiceState>({ type: "idle" });
  const recorder = useRef<Recorder>(undefined);
  /** Counts attempts: what belongs to one that was cancelled is dropped. */
  const attempt = useRef(0);
  // The field may have changed while the text was on its way.
  const give = useRef(onText);
  useEffect(() => {
    give.current = onText;
  });
  const cancel = (): void => {
    attempt.current += 1;
    recorder.current?.cancel();
    recorder.current = undefined;
    setState({ type: "idle" });
  };
  useEffect(
    () => () => {
      attempt.current += 1;
      recorder.current?.cancel();
    },
    [],
  );
  const transcribe = async (recording: Blob): Promise<string> =>
    (await client.request("media.transcribe", { data: await readBase64(recording) }, { timeoutMs: TRANSCRIBE_MS })).text;
  const stop = async (): Promise<void> => {
    const current = attempt.current;
    const running = recorder.current;
    recorder.current = undefined;
    if (running === undefined) return;
    setState({ type: "transcribing" });
    const show = (next: VoiceState): void => {
      if (attempt.current === current) setState(next);
    };
    try {
      const recording = await running.stop();
      // Ended at once.
      const text = recording.size === 0 ? "" : await transcribe(recording);
      if (attempt.current !== current) return;
      if (text === "") show({ type: "problem", message: t("Nothing was heard. Speak closer to the microphone, then try again.") });
      else {
        show({ type: "idle" });
        give.current(text);
      }
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      show({ type: "problem", message: error.message });
    }
  };
  const start = async (): Promise<void> => {
    attempt.current += 1;
    const current = attempt.current;
    setState({ type: "asking" });
    const { RecordingError, startRecorder } = await import("./recorder.ts");
    try {
      const started = await startRecorder(window, () => void stop());
      if (attempt.current !== current) {
        started.cancel();
        return;
      }
      recorder.current = started;
      setState({ type: "recording", startedAtMs: Date.now() });
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      if (attempt.current === current) setState({ type: "problem", message: t(error.words) });
    }
  };
  return { isOffered: useIsOffered(), state, start, stop, cancel };
}

/** Asked with each connection, and after each change of the configuration. */
function useIsOffered(): boolean {
  const { client } = useSession();
  const isConnected = useAppState((state) => state.connection.type === "connected");
  const [isOffered, setOffered] = useState(false);
  useEffect(() => {
    if (!isConnected) return undefined;
    let isCurrent = true;
    const ask = async (): Promise<void> => {
      try {
        const { transcription } = await client.request("media.state", {});
        if (isCurrent) setOffered(transcription);
      } catch (error) {
        // An older gateway does not know the method.
        if (!(error instanceof RpcError)) throw error;
      }
    };
    void ask();
    const end = client.onEvent(({ type }) => {
      if (type === "config-change") void ask();
    });
    return () => {
      isCurrent = false;
      end();
    };
  }, [client, isConnected]);
  return isOffered;
}

async function readBase64(blob: Blob): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.addEventListener("load", () => {
    // An address with the content in base64.
    if (typeof reader.result === "string") resolve(reader.result.slice(reader.result.indexOf(",") + 1));
  });
  reader.addEventListener("error", () => reject(reader.error ?? new Error("The recording could not be read.")));
  reader.readAsDataURL(blob);
  return promise;
}
