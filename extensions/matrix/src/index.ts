export { createMatrixChannel } from "./channel.ts";
export { MatrixConfigSchema } from "./config.ts";
export type { MatrixConfig } from "./config.ts";
export { matrixExtension } from "./extension.ts";
