import { normalizeBaseUrl } from "../base-url.ts";
import { asRecord } from "../errors/vendor-error.ts";
import { keyHeaders, type FreeRequest, type ListingTarget } from "./read-listing.ts";

/** How a vendor reports the credit of a key's account. */
interface Balance {
  /** Relative to the address without its version. */
  readonly path: string;
  /** True if the response says that no further requests are possible. */
  readonly isEmpty: (answer: Readonly<Record<string, unknown>>) => boolean;
}

const BALANCES: Readonly<Record<string, Balance>> = {
  deepseek: { path: "/user/balance", isEmpty: (answer) => answer["is_available"] === false },
  moonshotai: {
    path: "/v1/users/me/balance",
    isEmpty: (answer) => {
      const available = asRecord(answer["data"])?.["available_balance"];
      return typeof available === "number" && available <= 0;
    },
  },
};

/** The free request for the credit of an account; `undefined` if the vendor has none. */
export function balanceRequest(target: ListingTarget): FreeRequest | undefined {
  const balance = BALANCES[target.provider];
  if (balance === undefined) return undefined;
  const server = normalizeBaseUrl(target.baseUrl, target.api).replace(/\/v\d+$/, "");
  return { url: `${server}${balance.path}`, headers: keyHeaders(target) };
}

/** True if the response to `balanceRequest` says that the account has no credit. */
export function isOutOfCredit({ provider }: Pick<ListingTarget, "provider">, answer: unknown): boolean {
  return BALANCES[provider]?.isEmpty(asRecord(answer) ?? {}) === true;
}
