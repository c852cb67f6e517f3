export { createChannel, CreateError } from "./create-channel.ts";
export type { CreateOptions } from "./create-channel.ts";
export { tarballsIn } from "./tarballs.ts";
export { isTransport, readTemplate, TRANSPORTS } from "./read-template.ts";
export type { Transport } from "./read-template.ts";
export { clashIn, createRenamer, nameProblem } from "./template-names.ts";
export type { TemplateRenamer } from "./template-names.ts";
