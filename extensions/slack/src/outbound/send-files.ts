import { messageId } from "@factotum/channel-contract";
import type { CallOptions, ChannelHost, Media, MessageId } from "@factotum/channel-contract";
import { PlatformFailure } from "@factotum/channel-kit";
import * as z from "zod";
import type { SlackApi } from "../api/slack-api.ts";
import { mayBeDone } from "../errors.ts";
import type { Place } from "./message-api.ts";

const AnnouncedSchema = z.looseObject({ upload_url: z.url(), file_id: z.string().min(1) });
const SharesSchema = z.record(z.string(), z.array(z.looseObject({ ts: z.string().optional() })));
const InfoSchema = z.looseObject({
  file: z.looseObject({
    shares: z.looseObject({ public: SharesSchema.optional(), private: SharesSchema.optional() }).optional(),
  }),
});

/** The platform shows a file moments after it has accepted it. */
const SHARE_DELAYS_MS = [0, 250, 500, 1_000, 2_000] as const;

const EXTENSIONS: Readonly<Record<Media["kind"], string>> = { image: "png", audio: "mp3", video: "mp4", file: "bin" };

/**
 * Sends files as one message: each is announced and uploaded, then all are shown. Nothing is shown before the last step, so an earlier failure is never
 * ambiguous. Resolves with the message once it is shown; with the id of the first file if that takes too long.
 */
export async function sendFiles(
  parts: { readonly api: SlackApi; readonly host: Pick<ChannelHost, "clock"> },
  message: { readonly place: Place; readonly media: readonly Media[]; readonly comment: string },
  options: CallOptions,
): Promise<MessageId> {
  const { api } = parts;
  const { place, media, comment } = message;
  const files = await uploadAll(api, media, options).catch((error: unknown) => {
    if (error instanceof PlatformFailure && mayBeDone(error))
      throw new PlatformFailure({ type: "not-sent" }, error.message, { cause: error });
    throw error;
  });
  await api.call(
    "files.completeUploadExternal",
    {
      files,
      channel_id: place.channel,
      ...(place.threadTs !== undefined && { thread_ts: place.threadTs }),
      ...(comment !== "" && { initial_comment: comment }),
    },
    options,
  );
  const [first] = files;
  const ts = first === undefined ? undefined : await sharedAs(parts, { file: first.id, channel: place.channel }, options);
  return messageId(ts ?? first?.id ?? "");
}

async function uploadAll(
  api: SlackApi,
  media: readonly Media[],
  options: CallOptions,
): Promise<readonly { readonly id: string; readonly title: string }[]> {
  const files: { readonly id: string; readonly title: string }[] = [];
  for (const [index, { fileName, kind, bytes }] of media.entries()) {
    const filename = fileName?.split(/[/\\]/).at(-1) || `${kind}-${index + 1}.${EXTENSIONS[kind]}`;
    const announced = AnnouncedSchema.safeParse(await api.call("files.getUploadURLExternal", { filename, length: bytes.length }, options));
    if (!announced.success) throw new PlatformFailure({ type: "not-sent" }, "Slack named no address for the file");
    await api.upload(announced.data.upload_url, bytes, options);
    files.push({ id: announced.data.file_id, title: filename });
  }
  return files;
}

/** The timestamp of the message that shows a file. Never rejects: the file is sent. */
async function sharedAs(
  { api, host }: { readonly api: SlackApi; readonly host: Pick<ChannelHost, "clock"> },
  { file, channel }: { readonly file: string; readonly channel: string },
  options: CallOptions,
): Promise<string | undefined> {
  for (const delayMs of SHARE_DELAYS_MS) {
    if (delayMs > 0) await pause(host, delayMs, options);
    if (options.signal.aborted) return undefined;
    const answer = await api.call("files.info", { file }, options).catch(() => undefined);
    const shares = InfoSchema.safeParse(answer).data?.file.shares;
    const ts = (shares?.private?.[channel] ?? shares?.public?.[channel])?.at(-1)?.ts;
    if (ts !== undefined) return ts;
  }
  return undefined;
}

async function pause({ clock }: Pick<ChannelHost, "clock">, delayMs: number, { signal }: CallOptions): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  using _timer = clock.schedule(delayMs, resolve);
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
}
