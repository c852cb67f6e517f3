/** True for a recording in the format of voice messages: Opus in an Ogg container. */
export function isRecording(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, 64)).toString("latin1");
  return head.startsWith("OggS") && head.includes("OpusHead");
}
