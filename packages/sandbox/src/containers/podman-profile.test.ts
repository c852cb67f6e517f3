import { expect, test } from "vitest";
import { podmanProfile } from "./podman-profile.ts";

const PROFILE = {
  defaultAction: "SCMP_ACT_ERRNO",
  defaultErrnoRet: 38,
  syscalls: [
    { names: ["read", "clone", "clone3", "unshare", "keyctl"], action: "SCMP_ACT_ALLOW", args: [] },
    { names: ["bpf"], action: "SCMP_ACT_ALLOW", includes: { caps: ["CAP_BPF"] } },
    { names: ["socket"], action: "SCMP_ACT_ALLOW", args: [{ index: 0, value: 16, op: "SCMP_CMP_EQ" }] },
  ],
};

test("keeps Podman's list without what sandboxes refuse, and limits namespaces and families of sockets", () => {
  const allow = { action: "SCMP_ACT_ALLOW" };
  expect(JSON.parse(podmanProfile(JSON.stringify(PROFILE)))).toEqual({
    ...PROFILE,
    syscalls: [
      { names: ["read"], ...allow, args: [] },
      { names: ["clone"], ...allow, args: [{ index: 0, value: 0x7e020000, valueTwo: 0, op: "SCMP_CMP_MASKED_EQ" }] },
      ...[1, 2, 10, 16].map((value) => ({ names: ["socket"], ...allow, args: [{ index: 0, value, op: "SCMP_CMP_EQ" }] })),
    ],
  });
});

test.each(["", "[]", "{}", '{"syscalls": 1}'])("refuses a file that is no profile: %j", (text) => {
  expect(() => podmanProfile(text)).toThrow();
});
