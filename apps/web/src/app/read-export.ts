import type { GatewayClient } from "../gateway-client/gateway-client.ts";

/** Reads a whole conversation as the gateway stores it, page by page: one line of JSON for each entry. */
export async function readExport(client: Pick<GatewayClient, "request">, key: string): Promise<string> {
  const lines: string[] = [];
  let after: string | undefined;
  let sessionId: string | undefined;
  do {
    const page = await client.request("sessions.export", {
      key,
      ...(after === undefined || sessionId === undefined ? {} : { after, sessionId }),
    });
    lines.push(...page.lines);
    ({ after, sessionId } = page);
  } while (after !== undefined);
  return lines.map((line) => `${line.replace(/\n$/, "")}\n`).join("");
}
