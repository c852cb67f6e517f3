export { createChannel, CreateError } from "./create-channel.ts";
export type { CreateOptions } from "./create-channel.ts";
