/** Where an attached image is: in memory, or in the media store. */
export type ImageSource = "inline" | "offloaded";

/**
 * The order of a turn's images. With `imageOrder` exactly that: each entry takes the next image of its source. Without it, inline images come first, then
 * offloaded ones. Images that `imageOrder` does not cover follow in that same order; referenced ones are always last. Pure; every image comes exactly once.
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
