import { definePackage } from "../../tsdown.base.ts";

export default definePackage();
