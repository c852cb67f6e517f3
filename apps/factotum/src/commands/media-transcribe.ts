import { readFile, stat } from "node:fs/promises";
import { MAX_RECORDING_BYTES } from "@factotum/protocol";
import { connectGateway, requestError } from "../rpc/connect-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";

/** Prints what is said in a recording, transcribed as `models.transcription` says. The file stays as it is. */
export async function mediaTranscribe(context: CliContext, file: string, { json }: { readonly json: boolean }): Promise<number> {
  const data = await readRecording(file);
  using gateway = await connectGateway(context);
  try {
    const result = await gateway.client.request("media.transcribe", { data }, { signal: context.signal });
    if (json) printJson(context, result);
    else if (result.text === "") context.note("factotum: nothing was said in it\n");
    else context.print(`${terminalText(result.text)}\n`);
    return EXIT.ok;
  } catch (error) {
    throw requestError(error);
  }
}

async function readRecording(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > MAX_RECORDING_BYTES)
      throw new CliError("failure", `${file} has ${size} bytes; a recording may have ${MAX_RECORDING_BYTES}.`, {
        fix: "Make it shorter, or send it to the assistant in a chat, which takes larger ones.",
      });
    return (await readFile(file)).toString("base64");
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError("failure", `${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? "unknown"}.`, { cause: error });
  }
}
