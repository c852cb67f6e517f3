import { defineExtension } from "../../tsdown.base.ts";

export default defineExtension();
