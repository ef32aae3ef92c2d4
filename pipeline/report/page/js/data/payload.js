// @ts-check
// The data of a page, records of Python: compressed JSON with arrays as bytes beside it, row by row.

import { inflated } from "./bytes.js";

/** @import { Floats, Steps } from "./records.js" */

const BYTES = "$bytes";

/** @param {Floats} planes float32 as differences from number to number, the lowest bytes of all first */
export function floats(planes) {
  const count = planes.length / 4;
  const array = new Uint32Array(count);
  for (let i = 0, last = 0; i < count; i++) {
    last +=
      planes[i] + (planes[count + i] << 8) + (planes[2 * count + i] << 16) + (planes[3 * count + i] << 24);
    array[i] = last;
    last |= 0;
  }
  return new Float32Array(array.buffer);
}

/** @param {Steps} raw @returns little-endian uint16: 65534 is the largest value, 65535 unknown */
export function steps(raw) {
  return new Uint16Array(raw.slice().buffer);
}

/** @type {(text: string) => Promise<any>} data as `compressed` in embedding.py writes them */
export async function unpacked(text) {
  const content = await inflated(text).arrayBuffer();
  const rest = 4 + new DataView(content).getUint32(0, true);
  /** @type {(_: string, value: any) => any} */
  const placed = (_, value) =>
    value?.[BYTES] ? new Uint8Array(content, rest + value[BYTES][0], value[BYTES][1]) : value;
  return JSON.parse(new TextDecoder().decode(new Uint8Array(content, 4, rest - 4)), placed);
}

/** The data that a page carries. */
export function readData() {
  return unpacked(document.getElementById("data")?.textContent ?? "");
}
