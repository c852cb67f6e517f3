/**
 * A thread that decodes and encodes images, so that neither the work nor a hostile file's effect on a decoder reaches the gateway. Started when an image must
 * be changed, and ended soon after.
 */
import { parentPort, workerData } from "node:worker_threads";
import type sharp from "sharp";
import type { CodecChoice, EncodeJob, EncodeResult } from "./encode-job.ts";
import { encodeWithin, type ImageCodec } from "./raster-image.ts";
import { createSharpCodec } from "./sharp-codec.ts";
import { createWasmCodec } from "./wasm-codec.ts";

/** Not a literal in the import, or a bundler would include it: it exists only if the user installed it. */
const SHARP = "sharp";
const choice = (workerData as { readonly codec: CodecChoice }).codec;
let codec: Promise<ImageCodec> | undefined;

parentPort?.on("message", (job: EncodeJob) => {
  void encode(job).then((result) => parentPort?.postMessage(result));
});

async function encode(job: EncodeJob): Promise<EncodeResult> {
  try {
    codec ??= loadCodec();
    return await encodeWithin(job, await codec);
  } catch (error) {
    return { type: "failed", message: error instanceof Error ? error.message : "the decoder failed" };
  }
}

async function loadCodec(): Promise<ImageCodec> {
  if (choice === "auto") {
    const installed = await loadSharp();
    if (installed !== undefined) return createSharpCodec(installed);
  }
  return createWasmCodec(await import("@cf-wasm/photon/node"));
}

async function loadSharp(): Promise<typeof sharp | undefined> {
  try {
    const loaded = (await import(SHARP)) as { readonly default: typeof sharp };
    return loaded.default;
  } catch (error) {
    // Not installed, or for another system: the WASM codec does the same, slower.
    if (error instanceof Error) return undefined;
    throw error;
  }
}
