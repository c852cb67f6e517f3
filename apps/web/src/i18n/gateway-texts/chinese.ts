import { createTextTranslator, type Translator } from "../text-translator.ts";
import errors from "./errors.zh-CN.json" with { type: "json" };
import things from "./things.zh-CN.json" with { type: "json" };

/** The Chinese of what the gateway says; that of settings is learned when their forms are shown. */
export const chinese: Translator = createTextTranslator({ ...things, ...errors });
