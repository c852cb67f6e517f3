import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock, ImageContent, KeptFile, Logger, ModelInfo, Random, RunFacts } from "@factotum/agent-contract";
import type { MediaFacts } from "@factotum/agent-core";
import type { Channel, MsgContext } from "@factotum/channel-contract";
import { fetchAttachment } from "./attachments/fetch-attachment.ts";
import { receiveAttachment, type ReceivedAttachment } from "./attachments/receive-attachment.ts";
import { LaneShutdown } from "../kernel/lane-abort.ts";
import { runBounded } from "./attachments/run-bounded.ts";
import { fitImage } from "./images/fit-image.ts";
import { ImageEncoder } from "./images/image-encoder.ts";
import type { LocalFiles } from "./local-files.ts";
import { FETCH_CONCURRENCY, imageLimits, MAX_ATTACHMENTS, MAX_IMAGES, MAX_IMAGES_BYTES, MAX_REFERENCES } from "./media-limits.ts";
import type { ImageLimits } from "./media-limits.ts";
import { orderImages } from "./order-images.ts";
import { OutboundFiles } from "./outbound/outbound-files.ts";
import { loadReference } from "./references/load-reference.ts";
import { parseReferences } from "./references/parse-references.ts";
import { mediaReference, MediaStore } from "./store/media-store.ts";
import { UploadStore } from "./store/upload-store.ts";
import type { Speaker } from "./speech/speaker.ts";
import { transcribeAll } from "./transcription/transcribe-all.ts";
import type { Transcriber } from "./transcription/transcriber.ts";

/** The dependencies of the stage. */
export interface MediaStageOptions {
  /** The state directory. */
  readonly home: string;
  readonly files: LocalFiles;
  readonly transcriber: Transcriber;
  readonly speaker: Speaker;
  /** Path of the decoder thread's program in a bundle. */
  readonly imageWorker?: URL;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** One message whose media are requested. */
export interface MediaRequest {
  readonly message: MsgContext;
  readonly run: RunFacts;
  /** The channel of the attachments; absent while the account is not connected. */
  readonly channel: Pick<Channel, "fetchAttachment"> | undefined;
  /** The turn's model, which decides whether images are sent at all. Absent without a usable one: then they are stored for a later one. */
  readonly model: ModelInfo | undefined;
  /** Its fallbacks: the images must suit them too. */
  readonly fallbacks: readonly ModelInfo[];
}

/** A turn's media. */
export interface PreparedMedia {
  /** Part 4 of the request, in order. */
  readonly images: readonly ImageContent[];
  /** For the media note: the attachments in the order of sending, then those that the text named. */
  readonly media: readonly MediaFacts[];
  /** True if a file comes from anyone but the owner (R23). */
  readonly tainted: boolean;
  /** The attachments that are kept, in the order of sending. */
  readonly kept: readonly KeptFile[];
  /** What was said in the recordings, in the order of sending; empty without a transcription. */
  readonly transcripts: readonly string[];
  /** For the owner: why recordings were not transcribed. */
  readonly transcriptionProblems: readonly string[];
}

/** One image in progress: how to get its bytes, and its line of the media note. */
interface Candidate {
  readonly read: () => Promise<Uint8Array>;
  readonly facts: DraftFacts;
}

/** A line of the media note in progress. */
interface DraftFacts {
  location?: string;
  path?: string;
  fileName?: string;
  mimeType?: string;
  omitted?: NonNullable<MediaFacts["omitted"]>;
  transcription?: NonNullable<MediaFacts["transcription"]>;
}

/** The stage between the queue and the turn that fetches, stores, orders and fits the media of a message. */
export class MediaStage {
  readonly store: MediaStore;
  /** Uploads of the gateway's own clients. */
  readonly uploads: UploadStore;
  /** Files to be sent to chats. */
  readonly outbound: OutboundFiles;
  /** Speaks answers. */
  readonly speaker: Speaker;
  /** Turns recordings into text. */
  readonly transcriber: Transcriber;
  readonly #options: MediaStageOptions;
  readonly #encoder: ImageEncoder;

  constructor(options: MediaStageOptions) {
    const { clock, imageWorker } = options;
    this.#options = options;
    this.store = new MediaStore(options);
    this.uploads = new UploadStore(options);
    this.outbound = new OutboundFiles(options);
    this.speaker = options.speaker;
    this.transcriber = options.transcriber;
    this.#encoder = new ImageEncoder({ clock, ...withoutUndefined({ worker: imageWorker }) });
  }

  /**
   * Never rejects for a problem with the media: a missing file is mentioned in the media note. If the signal fires, the rest is skipped; at a shutdown it rejects,
   * since the next start processes the input again, including images.
   */
  async prepare(request: MediaRequest, options: { readonly signal: AbortSignal }): Promise<PreparedMedia> {
    const { message, run } = request;
    const attachments = await this.#receive(request, options.signal);
    if (options.signal.reason instanceof LaneShutdown) throw options.signal.reason;
    const spoken = await transcribeAll(attachments, message.attachments, {
      ...this.#options,
      store: this.store,
      run,
      signal: options.signal,
    });
    const drafts: DraftFacts[] = attachments.map((attachment, index) => draftFacts(attachment, spoken.facts[index]));
    const images = attachments.flatMap((attachment, index) => {
      const facts = drafts[index];
      return attachment.isImage && facts !== undefined ? [{ attachment, facts }] : [];
    });
    const references = await this.#references(request);
    const ordered = orderImages({
      inline: images.filter(({ attachment }) => attachment.inline !== undefined).map((image) => this.#candidate(image)),
      offloaded: images.filter(({ attachment }) => attachment.inline === undefined).map((image) => this.#candidate(image)),
      references: references.candidates,
      imageOrder: images.map(({ attachment }) => (attachment.inline === undefined ? "offloaded" : "inline")),
    });
    const fitted = await this.#fit(ordered, request, options.signal);
    if (options.signal.reason instanceof LaneShutdown) throw options.signal.reason;
    return {
      images: fitted,
      media: [...drafts, ...references.drafts],
      tainted: (!run.owner && message.attachments.length > 0) || references.tainted,
      kept: attachments.flatMap(({ stored, fileName }) =>
        stored === undefined ? [] : [{ id: stored.id, kind: stored.kind, ...withoutUndefined({ name: fileName }) }],
      ),
      transcripts: spoken.transcripts,
      transcriptionProblems: spoken.problems,
    };
  }

  /** Fits images that belong to no message of a session: returns those that can be sent, in order, and for each of the others the reason. Nothing is stored. */
  async fitImages(
    images: readonly Uint8Array[],
    models: Pick<MediaRequest, "model" | "fallbacks">,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<{ readonly images: readonly ImageContent[]; readonly omitted: readonly NonNullable<MediaFacts["omitted"]>[] }> {
    const candidates = images.map((bytes): Candidate => ({ facts: {}, read: async () => bytes }));
    const fitted = await this.#fit(candidates, models, signal);
    return { images: fitted, omitted: candidates.flatMap(({ facts }) => facts.omitted ?? []) };
  }

  /** The turn of a message is committed: its uploads are in the media store now. Never rejects. */
  async release({ attachments }: MsgContext): Promise<void> {
    try {
      await this.uploads.remove(attachments);
    } catch (error) {
      this.#options.logger.warn("An uploaded file was not removed; it goes with the old ones", { error });
    }
  }

  /** Ends the decoder's thread. */
  async close(): Promise<void> {
    await this.#encoder.close();
  }

  async #receive({ message, run, channel }: MediaRequest, signal: AbortSignal): Promise<readonly ReceivedAttachment[]> {
    const { clock, logger } = this.#options;
    const received = await runBounded(message.attachments.slice(0, MAX_ATTACHMENTS), FETCH_CONCURRENCY, async (ref) =>
      receiveAttachment(ref, await fetchAttachment(ref, { channel, clock, signal }), {
        store: this.store,
        session: { sessionId: run.sessionId, sessionKey: run.sessionKey },
        untrusted: !run.owner,
        logger,
      }),
    );
    const surplus = message.attachments.slice(MAX_ATTACHMENTS).map(({ fileName }) => ({
      ...withoutUndefined({ fileName }),
      isImage: false,
      problem: "too-many" as const,
    }));
    return [...received, ...surplus];
  }

  #candidate({ attachment, facts }: { readonly attachment: ReceivedAttachment; readonly facts: DraftFacts }): Candidate {
    const { inline, stored } = attachment;
    return {
      facts,
      read: async () => {
        if (inline !== undefined) return inline;
        if (stored === undefined) throw new Error("an image is neither in memory nor in the media store");
        return this.store.read(stored);
      },
    };
  }

  /** Files named in the owner's own text; quotes, history and forwards are ignored. */
  async #references({ message, run }: MediaRequest): Promise<{
    readonly candidates: readonly Candidate[];
    readonly drafts: readonly DraftFacts[];
    readonly tainted: boolean;
  }> {
    const candidates: Candidate[] = [];
    const drafts: DraftFacts[] = [];
    let tainted = false;
    for (const reference of run.owner ? parseReferences(message.text).slice(0, MAX_REFERENCES) : []) {
      const loaded = await loadReference(reference, { files: this.#options.files, store: this.store, run, logger: this.#options.logger });
      const facts: DraftFacts = { location: loaded.shown };
      if (loaded.type === "loaded") {
        tainted ||= loaded.untrusted;
        candidates.push({ facts, read: async () => loaded.bytes });
      } else if (loaded.reason === "not-found") {
        // A path to nothing is plain text.
        continue;
      } else facts.omitted = loaded.reason;
      drafts.push(facts);
    }
    return { candidates, drafts, tainted };
  }

  /** One at a time: at most one decoded image is in memory. */
  async #fit(
    candidates: readonly Candidate[],
    { model, fallbacks }: Pick<MediaRequest, "model" | "fallbacks">,
    signal: AbortSignal,
  ): Promise<readonly ImageContent[]> {
    const readers = [...(model === undefined ? [] : [model]), ...fallbacks].filter(({ input }) => input.includes("image"));
    const limits = imageLimits(model === undefined ? "all" : readers.map(({ api }) => api));
    const images: ImageContent[] = [];
    let sizeBytes = 0;
    for (const { facts, read } of candidates) {
      if (model !== undefined && !model.input.includes("image")) facts.omitted = "text-only";
      else if (images.length === MAX_IMAGES) facts.omitted = "too-many";
      else {
        const fitted = await this.#fitOne(read, limits, signal);
        if (fitted.type === "omitted") facts.omitted = fitted.reason;
        else if (sizeBytes + fitted.sizeBytes > MAX_IMAGES_BYTES) facts.omitted = "too-many";
        else {
          images.push(fitted.image);
          sizeBytes += fitted.sizeBytes;
          facts.mimeType ??= fitted.image.mimeType;
        }
      }
    }
    return images;
  }

  async #fitOne(
    read: () => Promise<Uint8Array>,
    limits: ImageLimits,
    signal: AbortSignal,
  ): Promise<Awaited<ReturnType<typeof fitImage>> | { readonly type: "omitted"; readonly reason: "unavailable" }> {
    try {
      return await fitImage(await read(), { limits, encoder: this.#encoder, signal });
    } catch (error) {
      this.#options.logger.warn("An image could not be read", { error });
      return { type: "omitted", reason: "unavailable" };
    }
  }
}

function draftFacts({ fileName, mimeType, stored, problem }: ReceivedAttachment, transcription: MediaFacts["transcription"]): DraftFacts {
  return {
    ...(stored === undefined ? {} : { location: mediaReference(stored.id), path: stored.path }),
    ...withoutUndefined({ fileName, mimeType, omitted: problem, transcription }),
  };
}
