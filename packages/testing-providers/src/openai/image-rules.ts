import { readImageUrl } from "../server/data-url.ts";
import { bodyRule, type Finding, firstOf, type WireRule } from "../strict/rule.ts";

/** The address of an image and its path. */
export interface ImageView {
  readonly param: string;
  readonly url: string;
}

const FORMATS = ["image/png", "image/jpeg", "image/jpg", "image/webp", "image/gif"];

/** Both endpoints' rules for image addresses. */
export function openaiImageRules<View>(imagesOf: (view: View) => Iterable<ImageView>): readonly WireRule<View>[] {
  const check =
    (wrong: (image: ReturnType<typeof readImageUrl>) => string | undefined) =>
    (view: View): Finding | undefined =>
      firstOf(imagesOf(view), ({ url, param }) => {
        const message = wrong(readImageUrl(url));
        return message === undefined ? undefined : { message, param };
      });
  return [
    bodyRule<View>({
      id: "image-url",
      description: "An image is an http(s) address or a data URL with base64.",
      vendorText: "Invalid '…'. Expected a valid URL, but got a value with an invalid format.",
      code: "invalid_value",
      check: (view) =>
        firstOf(imagesOf(view), ({ url, param }) =>
          readImageUrl(url).type === "neither"
            ? { message: `Invalid '${param}'. Expected a valid URL, but got a value with an invalid format.`, param }
            : undefined,
        ),
    }),
    bodyRule<View>({
      id: "image-base64",
      description: "The data of an image is base64.",
      vendorText: "Invalid base64 image_url.",
      code: "invalid_base64",
      check: check((image) => (image.type === "inline" && !image.wellFormed ? "Invalid base64 image_url." : undefined)),
    }),
    bodyRule<View>({
      id: "image-format",
      description: "An image is a PNG, JPEG, GIF or WebP, and can be read.",
      vendorText:
        "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
      code: "invalid_image_format",
      check: check((image) =>
        image.type === "inline" && image.wellFormed && (!FORMATS.includes(image.mediaType) || !image.readable)
          ? "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp']."
          : undefined,
      ),
    }),
  ];
}
