import { MAX_RECORDING_BYTES } from "@factotum/protocol";
import { msg } from "../../../i18n/t.ts";

/** Clear speech; three minutes have 540 kB. */
const BITS_PER_SECOND = 24_000;
/** Milliseconds of each piece, after which the size is looked at. */
const PIECE_MS = 1000;
/** What may still come after the recorder is told to stop. */
const LAST_PIECE_BYTES = 40_000;
/** In the order of preference: what browsers record, and providers take. */
const TYPES = ["audio/webm;codecs=opus", "audio/mp4", "audio/ogg;codecs=opus"];

/** Why nothing is recorded, for people, as a key of the catalogues. */
const PROBLEMS: Readonly<Record<string, string>> = {
  NotAllowedError: msg("This page may not use the microphone. Allow it in the browser’s settings for this address, then try again."),
  SecurityError: msg("This page may not use the microphone. Allow it in the browser’s settings for this address, then try again."),
  NotFoundError: msg("No microphone was found. Connect one, then try again."),
  NotReadableError: msg("Another program uses the microphone. Close it, then try again."),
};
const INSECURE = msg("Browsers record only on pages from this machine (localhost) or over HTTPS.");
const UNSUPPORTED = msg("This browser cannot record speech.");

/** A recording that runs. */
export interface Recorder {
  /** Ends it and gives the recording. */
  stop(): Promise<Blob>;
  /** Ends it and drops what was said. */
  cancel(): void;
}

/** A recording that could not begin. */
export class RecordingError extends Error {
  /** For people; to be translated. */
  readonly words: string;
  constructor(words: string, options?: ErrorOptions) {
    super(words, options);
    this.name = "RecordingError";
    this.words = words;
  }
}

/** Begins to record, after the browser has asked the person. `onFull` is called when the recording has its largest size. Rejects with a `RecordingError`. */
export async function startRecorder(page: Window & typeof globalThis, onFull: () => void): Promise<Recorder> {
  if (!page.isSecureContext) throw new RecordingError(INSECURE);
  // Absent in some browsers, whatever the types say.
  const devices: MediaDevices | undefined = page.navigator.mediaDevices;
  if (devices === undefined || page.MediaRecorder === undefined) throw new RecordingError(UNSUPPORTED);
  const stream = await openMicrophone(devices);
  const mimeType = TYPES.find((type) => page.MediaRecorder.isTypeSupported(type));
  const recorder = new page.MediaRecorder(stream, { audioBitsPerSecond: BITS_PER_SECOND, ...(mimeType !== undefined && { mimeType }) });
  const pieces: Blob[] = [];
  let bytes = 0;
  recorder.addEventListener("dataavailable", ({ data }) => {
    pieces.push(data);
    bytes += data.size;
    if (bytes > MAX_RECORDING_BYTES - LAST_PIECE_BYTES && recorder.state === "recording") onFull();
  });
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  recorder.addEventListener("stop", () => {
    // The browser shows a sign as long as a track is live.
    for (const track of stream.getTracks()) track.stop();
    resolve();
  });
  recorder.start(PIECE_MS);
  const end = (): void => {
    if (recorder.state !== "inactive") recorder.stop();
  };
  return {
    stop: async () => {
      end();
      await ended;
      return new Blob(pieces, { type: recorder.mimeType });
    },
    cancel: end,
  };
}

async function openMicrophone(devices: MediaDevices): Promise<MediaStream> {
  try {
    return await devices.getUserMedia({ audio: true });
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    throw new RecordingError(PROBLEMS[error.name] ?? UNSUPPORTED, { cause: error });
  }
}
