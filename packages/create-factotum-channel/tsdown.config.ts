import { channelTemplate } from "../../scripts/build/channel-template.ts";
import { definePackage } from "../../tsdown.base.ts";

export default definePackage({ entry: ["src/index.ts", "src/main.ts"], plugins: [channelTemplate()] });
