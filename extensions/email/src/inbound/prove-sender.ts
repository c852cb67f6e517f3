import type { SenderVerification } from "../config.ts";
import { domainOf } from "../conversation-id.ts";
import { parseAuthenticationResults } from "./authentication-results.ts";
import type { AuthenticationResult } from "./authentication-results.ts";
import type { MailHeaders } from "./mail-headers.ts";

/** Whether the address in From is the sender's. */
export type SenderProof = { readonly type: "proved"; readonly address: string } | { readonly type: "refused"; readonly reason: string };

/** Other results say that there is no policy, or that it could not be read: then the checks below it decide. */
const DMARC_DECIDES = /^(?:pass|fail|reject|quarantine)$/;

const refused = (reason: string): SenderProof => ({ type: "refused", reason });

/** Decides by the topmost header of the configured server: what stands below it may have come with the mail. */
export function proveSender({ all, from }: Pick<MailHeaders, "all" | "from">, verification: SenderVerification | undefined): SenderProof {
  if (from === undefined) return refused("its From is not one plain address");
  if (verification === undefined) return refused("senderVerification is not set");
  if ("trustFrom" in verification) return { type: "proved", address: from.address };
  const wanted = verification.authservId.toLowerCase();
  const found = all("authentication-results").map(parseAuthenticationResults);
  const own = found.find((header) => header === undefined || header.authservId === wanted);
  // The server's own may be the one that cannot be read; what stands below it proves nothing.
  if (own === undefined && found.includes(undefined)) return refused("its topmost Authentication-Results cannot be read");
  if (own === undefined) {
    const others = [...new Set(found.flatMap((header) => header?.authservId ?? []))].slice(0, 3);
    return refused(`it has no Authentication-Results of ${wanted}${others.length === 0 ? "" : `, only of ${others.join(", ")}`}`);
  }
  const domain = domainOf(from.address);
  const dmarc = own.results.find(({ method }) => method === "dmarc");
  if (dmarc !== undefined && DMARC_DECIDES.test(dmarc.result) && !isPass(dmarc, domain))
    return refused(`${wanted} does not confirm the domain of its From: dmarc=${dmarc.result}`);
  return own.results.some((result) => isPass(result, domain))
    ? { type: "proved", address: from.address }
    : refused(`${wanted} proves neither dmarc nor an aligned dkim or spf`);
}

/** True if the check proves the domain of From. Without the name that was checked it proves nothing. */
function isPass({ method, result, properties }: AuthenticationResult, domain: string): boolean {
  if (result !== "pass") return false;
  switch (method) {
    case "dmarc":
      return nameIn(properties.get("header.from")) === domain;
    case "dkim":
      return isAligned(nameIn(properties.get("header.d") ?? properties.get("header.i")), domain);
    case "spf":
      return isAligned(nameIn(properties.get("smtp.mailfrom") ?? properties.get("smtp.mail")), domain);
    default:
      return false;
  }
}

/** The domain itself or one above it. A domain below may belong to somebody else, as in hosting under a common suffix. */
function isAligned(name: string, domain: string): boolean {
  return name === domain || (name.includes(".") && domain.endsWith(`.${name}`));
}

/** The domain of a property, which may be an address. */
function nameIn(value: string | undefined): string {
  return (value ?? "").slice((value ?? "").lastIndexOf("@") + 1).toLowerCase();
}

/** The servers that wrote Authentication-Results into a mail, topmost first. For people. */
export function authservIdsOf({ all }: Pick<MailHeaders, "all">): readonly string[] {
  return [...new Set(all("authentication-results").flatMap((value) => parseAuthenticationResults(value)?.authservId ?? []))];
}
