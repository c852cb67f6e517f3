/** 32 random hexadecimal digits. `crypto.randomUUID` is missing on pages that were not loaded over TLS or from this machine. */
export function randomId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
