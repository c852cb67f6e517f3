/** Where an attached image came from: it stayed in memory, or waits in the media store. */
export type ImageSource = "inline" | "offloaded";

/**
 * The order in which a turn's images are sent. With `imageOrder` exactly that: each entry takes the next image of its source. Without,
 * inline images come first, then offloaded ones. Images that `imageOrder` does not speak of follow in that same order; referenced ones are always last.
 * Pure; every image comes exactly once.
 */
export function orderImages<Image>(images: {
  readonly inline: readonly Image[];
  readonly offloaded: readonly Image[];
  readonly references: readonly Image[];
  readonly imageOrder?: readonly ImageSource[];
}): readonly Image[] {
  const waiting: Readonly<Record<ImageSource, Image[]>> = { inline: [...images.inline], offloaded: [...images.offloaded] };
  const ordered = (images.imageOrder ?? []).flatMap((source) => waiting[source].splice(0, 1));
  return [...ordered, ...waiting.inline, ...waiting.offloaded, ...images.references];
}
