import type { CallOptions } from "@factotum/channel-contract";
import { PlatformFailure } from "@factotum/channel-kit";
import type * as z from "zod";
import type { FeishuApi } from "../api/feishu-api.ts";

const TIMEOUT_MS = 5_000;

/** Reads from the platform and parses the answer. Rejects with a PlatformFailure; each request has 5 seconds. */
export type ReadApi = <T>(
  schema: z.ZodType<T>,
  path: string,
  params: Readonly<Record<string, string | number>>,
  options: CallOptions,
) => Promise<T>;

/** Makes the reads of an account's API. */
export function createReadApi(api: FeishuApi): ReadApi {
  return async (schema, path, params, options) => {
    const answer = schema.safeParse(await api.call({ method: "GET", path, params, timeout: TIMEOUT_MS }, options));
    if (answer.success) return answer.data;
    throw new PlatformFailure({ type: "no-answer" }, "the answer does not have the documented form", { cause: answer.error });
  };
}
