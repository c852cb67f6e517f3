import type { ModelApi } from "@factotum/agent-contract";

/** The shape of an image as providers take it: pixels, or an aspect. */
export interface ImageShape {
  readonly size?: `${number}x${number}`;
  readonly aspectRatio?: `${number}:${number}`;
}

/** Sizes of models with OpenAI's wire format, by the beginning of their names; the last row is for all others, such as `gpt-image-1`. */
const OPENAI_SIZES: readonly { readonly prefix: string; readonly square: Pixels; readonly wide: Pixels; readonly high: Pixels }[] = [
  { prefix: "dall-e-3", square: "1024x1024", wide: "1792x1024", high: "1024x1792" },
  { prefix: "dall-e-2", square: "1024x1024", wide: "1024x1024", high: "1024x1024" },
  { prefix: "", square: "1024x1024", wide: "1536x1024", high: "1024x1536" },
];
/** Sides that differ by less make a square. */
const SQUARE_RATIO = 1.2;
const GOOGLE_ASPECTS = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"] as const;

type Pixels = `${number}x${number}`;

/** A width and a height: pixels or parts. */
interface Sides {
  readonly width: number;
  readonly height: number;
  readonly isPixels: boolean;
}

/** `WIDTHxHEIGHT` or `WIDTH:HEIGHT` as what the model takes: pixels as they are where it takes pixels, otherwise the nearest shape. Empty without a size. */
export function imageShape({ api, model }: { readonly api: ModelApi; readonly model: string }, size: string | undefined): ImageShape {
  const sides = size === undefined ? undefined : parseSides(size);
  if (sides === undefined) return {};
  const ratio = sides.width / sides.height;
  if (api === "google-generative-ai") return { aspectRatio: nearestAspect(ratio) };
  if (sides.isPixels) return { size: `${sides.width}x${sides.height}` };
  const row = OPENAI_SIZES.find(({ prefix }) => model.startsWith(prefix));
  const shape = ratio > SQUARE_RATIO ? "wide" : ratio < 1 / SQUARE_RATIO ? "high" : "square";
  return row === undefined ? {} : { size: row[shape] };
}

function parseSides(size: string): Sides | undefined {
  const found = /^\s*(\d{1,5})\s*([x×:])\s*(\d{1,5})\s*$/i.exec(size);
  const [width, height] = [Number(found?.[1]), Number(found?.[3])];
  return found === null || width === 0 || height === 0 ? undefined : { width, height, isPixels: found[2] !== ":" };
}

function nearestAspect(ratio: number): `${number}:${number}` {
  const distance = (aspect: string): number => {
    const [width = 1, height = 1] = aspect.split(":").map(Number);
    return Math.abs(Math.log(width / height / ratio));
  };
  return GOOGLE_ASPECTS.reduce((best, next) => (distance(next) < distance(best) ? next : best));
}
