import { createTextTranslator } from "../text-translator.ts";
import errors from "./errors.zh-CN.json" with { type: "json" };
import settings from "./settings.zh-CN.json" with { type: "json" };
import things from "./things.zh-CN.json" with { type: "json" };

/** The Chinese of what the gateway says. */
export const chinese: (text: string) => string = createTextTranslator({ ...things, ...settings, ...errors });
