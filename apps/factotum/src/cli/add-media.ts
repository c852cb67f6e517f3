import type { Command } from "commander";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json } from "./options.ts";

/** Recordings: `factotum media`. */
export function addMedia(program: Command, context: CliContext, finish: Finish): void {
  program
    .command("media")
    .description("recordings: transcribe")
    .command("transcribe")
    .description("print what is said in a recording, by the model or program of models.transcription")
    .argument("<file>", "a recording of up to 720 kB, such as an Ogg, WebM, MP4 or WAV file")
    .addOption(json())
    .action(async (file: string, options: { json?: boolean }) => {
      const command = await import("../commands/media-transcribe.ts");
      finish(await command.mediaTranscribe(context, file, { json: options.json === true }));
    });
}
