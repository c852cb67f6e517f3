import { resolve } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import { connectGateway, requestError, type ConnectedGateway } from "../rpc/connect-gateway.ts";
import { parseSessionName, sessionKeyOf } from "../rpc/session-name.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { writeNewFile } from "./write-new-file.ts";

/** Writes a received file of a session's message into a new file, which only its owner may read. */
export async function sessionsAttachment(
  cli: CliContext,
  { key, id, output, json }: { readonly key: string; readonly id: string; readonly output: string; readonly json: boolean },
): Promise<number> {
  const name = parseSessionName(key);
  using gateway = await connectGateway(cli);
  const sessionKey = await sessionKeyOf(name, cli, gateway);
  // Before the file is made: an unknown id leaves nothing behind.
  let part = await readPart(cli, gateway, { sessionKey, id, offset: 0 });
  await writeNewFile(output, async (file) => {
    await file.write(Buffer.from(part.data, "base64"));
    while (part.next !== undefined) {
      part = await readPart(cli, gateway, { sessionKey, id, offset: part.next });
      await file.write(Buffer.from(part.data, "base64"));
    }
  });
  const { sizeBytes, imageType } = part;
  if (json) printJson(cli, { output: resolve(output), sizeBytes, ...withoutUndefined({ imageType }) });
  else cli.note(`factotum: ${sizeBytes} bytes stand in ${output}\n`);
  return EXIT.ok;
}

async function readPart(
  cli: CliContext,
  { client }: ConnectedGateway,
  params: { readonly sessionKey: string; readonly id: string; readonly offset: number },
): Promise<{ readonly sizeBytes: number; readonly imageType?: string; readonly data: string; readonly next?: number }> {
  try {
    return await client.request("attachments.read", params, { signal: cli.signal });
  } catch (error) {
    throw requestError(error);
  }
}
