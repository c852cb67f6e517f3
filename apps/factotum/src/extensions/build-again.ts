/** What to run for a deployment with other channels. It contains only what it was built with, and may be on another machine than the factotum that built it. */
export function buildAgain(channels: readonly string[]): string {
  return `where it was built, with its folder, then restart the gateway: factotum build --channels ${channels.join(",")} --out FOLDER`;
}
