import type { MailHeaders } from "./mail-headers.ts";

/** Addresses that nobody reads. */
const NOBODY =
  /^(?:no-?_?reply|do-?_?not-?_?reply|not-?reply|mailer-daemon|postmaster|bounces?|auto-?reply)(?:[+._-].*)?@|[._+-]no-?reply@/;

/** Why a mail must not be answered: a program sent it, to one or to many. `undefined` for a mail of a person. */
export function automaticReason(
  { all, from }: Pick<MailHeaders, "all" | "from">,
  { address }: { readonly address: string },
): string | undefined {
  const first = (name: string): string => (all(name)[0] ?? "").trim().toLowerCase();
  const has = (name: string): boolean => all(name).length > 0;
  if (from?.address === address) return "it is of this address itself";
  if (/^multipart\/report\b/.test(first("content-type"))) return "it is a report";
  if (all("return-path").some((path) => path.replaceAll(/\s/g, "") === "<>")) return "it is a bounce";
  const submitted = first("auto-submitted");
  if (submitted !== "" && !/^no\b/.test(submitted)) return "it is an automatic reply";
  if (has("x-autoreply") || has("x-autorespond") || has("x-autoresponder")) return "it is an automatic reply";
  if (/\b(?:all|oof|autoreply)\b/.test(first("x-auto-response-suppress"))) return "its sender wants no automatic reply";
  if (["bulk", "list", "junk"].includes(first("precedence"))) return "it is a mass mail";
  if (has("list-id") || has("list-unsubscribe") || has("list-post")) return "it is of a mailing list";
  if (from !== undefined && NOBODY.test(from.address)) return "nobody reads its sender's address";
  return undefined;
}
