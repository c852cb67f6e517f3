import type { RunFacts } from "@factotum/agent-contract";
import { sniffMedia } from "@factotum/channel-kit";
import type { RpcMethod } from "@factotum/protocol";
import type { Engine } from "../engine/engine.ts";
import { RpcError } from "../kernel/rpc-error.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";

/** The methods of recordings: what a person says into the page becomes a text that is looked at before it is sent. */
export function mediaHandlers(engine: Engine): RpcHandlersOf<Extract<RpcMethod, `media.${string}`>> {
  const { media } = engine.parts;
  return {
    "media.state": async () => ({ transcription: media.transcriber.isConfigured }),
    "media.transcribe": async ({ data }, { signal }) => {
      if (!media.transcriber.isConfigured) throw new RpcError("unavailable", NOT_CONFIGURED);
      const bytes = Buffer.from(data, "base64");
      const { mimeType } = await sniffMedia(bytes);
      // Recorders of browsers put sound into containers that also hold video.
      if (!/^(?:audio|video)\//.test(mimeType)) throw new RpcError("invalid-request", "This is no recording that can be recognised.");
      // Only for programs, which read files.
      const ref = await media.uploads.put(bytes);
      try {
        const recording = { bytes, mimeType, path: media.uploads.pathOf(ref) };
        const outcome = await media.transcriber.transcribe(recording, { run: ownRun(engine), signal });
        if (outcome.type === "transcribed") return { text: outcome.text };
        if (outcome.reason === "no-speech") return { text: "" };
        const code = outcome.reason === "failed" || outcome.reason === "timeout" ? "unavailable" : "invalid-request";
        throw new RpcError(code, `The recording was not transcribed: ${engine.parts.hideSecrets(outcome.message)}.`);
      } finally {
        await media.uploads.remove([{ kind: "audio", ref }]);
      }
    },
  };
}

const NOT_CONFIGURED =
  "No model that transcribes is configured. Set models.transcription to one, such as openai/whisper-1, or to a program of this computer.";

/** For what a person says into the page, without a conversation: charged to the default agent as a message. */
function ownRun({ parts, sessions }: Engine): RunFacts {
  const { config } = parts.running.agents.default;
  return {
    runId: `transcription-${Buffer.from(parts.random.bytes(8)).toString("hex")}`,
    kind: "user",
    agentId: config.id,
    sessionKey: sessions.mainKey(undefined),
    sessionId: "",
    workspace: config.workspace,
    owner: true,
    timeZone: config.userTimezone,
  };
}
