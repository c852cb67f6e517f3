import { createTextTranslator } from "../text-translator.ts";
import errors from "./errors.zh-CN.json" with { type: "json" };
import things from "./things.zh-CN.json" with { type: "json" };

/** The Chinese of what the gateway says; that of settings is loaded with their forms. */
export const chinese: (text: string) => string = createTextTranslator({ ...things, ...errors });
