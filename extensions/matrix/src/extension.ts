import type { ChannelExtension } from "@factotum/channel-contract";
import { createMatrixChannel } from "./channel.ts";
import { MatrixConfigSchema } from "./config.ts";
import type { MatrixConfig } from "./config.ts";

/** The entry for the composition root. */
export const matrixExtension: ChannelExtension<MatrixConfig> = {
  id: "matrix",
  api: 1,
  configSchema: MatrixConfigSchema,
  create: createMatrixChannel,
};
