import protobuf from "protobufjs";

/** A frame of the long connection. */
export interface Frame {
  readonly SeqID: number;
  readonly LogID: number;
  readonly service: number;
  /** 0 control, 1 data. */
  readonly method: number;
  readonly headers: readonly { readonly key: string; readonly value: string }[];
  readonly payload?: Uint8Array;
}

const root = protobuf.Root.fromJSON({
  nested: {
    Header: { fields: { key: { id: 1, type: "string", rule: "required" }, value: { id: 2, type: "string", rule: "required" } } },
    Frame: {
      fields: {
        SeqID: { id: 1, type: "uint64", rule: "required" },
        LogID: { id: 2, type: "uint64", rule: "required" },
        service: { id: 3, type: "int32", rule: "required" },
        method: { id: 4, type: "int32", rule: "required" },
        headers: { id: 5, type: "Header", rule: "repeated" },
        payloadEncoding: { id: 6, type: "string" },
        payloadType: { id: 7, type: "string" },
        payload: { id: 8, type: "bytes" },
        LogIDNew: { id: 9, type: "string" },
      },
    },
  },
});
const frameType = root.lookupType("Frame");

/** Encodes a frame. */
export function encodeFrame(frame: Frame): Uint8Array {
  return frameType.encode(frameType.fromObject(frame)).finish();
}

/** Decodes a frame; throws if it is invalid. */
export function decodeFrame(bytes: Uint8Array): Frame {
  return frameType.toObject(frameType.decode(bytes), { longs: Number, arrays: true }) as Frame;
}

/** The value of a header. */
export function headerOf(frame: Frame, key: string): string | undefined {
  return frame.headers.find((header) => header.key === key)?.value;
}
