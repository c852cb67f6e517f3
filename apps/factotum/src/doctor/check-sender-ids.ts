import type { LoadedConfig } from "@factotum/config";
import type { ChannelCatalog } from "../compose/extensions.ts";
import { senderIdProblems } from "../compose/sender-id-problems.ts";
import type { Finding } from "./finding.ts";

/** Ids of people in the configuration that match no one, because the channel identifies its senders by another kind of id. */
export async function checkSenderIds({ written }: LoadedConfig, catalog: ChannelCatalog): Promise<readonly Finding[]> {
  const problems = await senderIdProblems(written, catalog);
  return problems.map(({ path, message, fix }) => ({ check: "sender-id", level: "warning", message: `${path}: ${message}`, fix }));
}
